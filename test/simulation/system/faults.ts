import type { Client } from '@outrigger/kube';
import type { ServerName, Step } from '@outrigger/simulator';
import type { RestartableServer } from '../../world/restartable-server.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { CertifiedAgent } from './certified-agent.js';
import type { HubWebhooks } from './webhooks.js';

export interface Cluster {
  readonly server: RestartableServer;
  /** A client for the test. */
  readonly api: Client;
  readonly agent: SimulatedProcess;
  /** The agent, if it has a certificate of its own. */
  readonly certified: CertifiedAgent | undefined;
}

/** The parts of a run that can fail. */
export interface System {
  readonly hubServer: RestartableServer;
  readonly manager: SimulatedProcess;
  /** The webhooks of the hub; undefined on a hub without webhooks. */
  readonly webhooks: HubWebhooks | undefined;
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
    case 'webhook outage':
      system.webhooks?.fail(step.forMs, step.isSilent);
      return;
    case 'certificate expires':
      clusters.get(step.cluster)?.certified?.leave();
      return;
    default:
      return;
  }
}

function serverOf({ hubServer, clusters }: System, name: ServerName): RestartableServer | undefined {
  return name === 'hub' ? hubServer : clusters.get(name)?.server;
}

/** Resolves when all processes run again, the webhooks answer, all clocks are right, and users have let clusters join again. */
export async function endFaults(system: System, sleep: (ms: number) => Promise<void>): Promise<void> {
  const { hubServer, manager, webhooks } = system;
  const clusters = [...system.clusters.values()];
  for (const process of [manager, ...clusters.map(({ agent }) => agent)]) process.start();
  for (const server of [hubServer, ...clusters.map(({ server: own }) => own)]) await server.up();
  while (webhooks?.isUp === false || clusters.some(({ agent }) => agent.isClockWrong)) await sleep(1_000);
  for (const { certified } of clusters) await certified?.comeBack();
}
