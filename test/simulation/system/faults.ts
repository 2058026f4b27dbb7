import type { Client } from '@outrigger/kube';
import type { ServerName, Step } from '@outrigger/simulator';
import type { RestartableServer } from '../../world/restartable-server.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';

export interface Cluster {
  readonly server: RestartableServer;
  /** A client for the test. */
  readonly api: Client;
  readonly agent: SimulatedProcess;
}

/** The parts of a run that can fail. */
export interface System {
  readonly hubServer: RestartableServer;
  readonly manager: SimulatedProcess;
  readonly clusters: ReadonlyMap<string, Cluster>;
}

/**
 * Makes something go wrong. Faults of single requests and watches are those of the network (`FAULTY_NETWORK`), which has them all the time
 * if the history has faults.
 */
export function disturb(system: System, step: Step): void {
  const { manager, clusters } = system;
  switch (step.do) {
    case 'crash':
      manager.crash(step.downMs);
      return;
    case 'leader change':
      manager.crash(1);
      return;
    case 'agent crash':
      clusters.get(step.cluster)?.agent.crash(step.downMs);
      return;
    case 'cluster away':
      // The agent is down, so its cluster becomes unavailable. After the last step of the history, all agents are started again.
      clusters.get(step.cluster)?.agent.crash(step.forMs);
      return;
    case 'server restart':
      serverOf(system, step.server)?.crash(step.downMs);
      return;
    case 'history lost':
      serverOf(system, step.server)?.loseHistory(step.forMs);
      return;
    case 'agent clock':
      clusters.get(step.cluster)?.agent.stepClock(step.ms, step.forMs);
      return;
    default:
      return;
  }
}

function serverOf({ hubServer, clusters }: System, name: ServerName): RestartableServer | undefined {
  return name === 'hub' ? hubServer : clusters.get(name)?.server;
}

/** Resolves when all processes run again and all clocks are right. */
export async function endFaults({ hubServer, manager, clusters }: System, sleep: (ms: number) => Promise<void>): Promise<void> {
  for (const process of [manager, ...[...clusters.values()].map(({ agent }) => agent)]) process.start();
  for (const server of [hubServer, ...[...clusters.values()].map((cluster) => cluster.server)]) await server.up();
  while ([...clusters.values()].some(({ agent }) => agent.isClockWrong)) await sleep(1_000);
}
