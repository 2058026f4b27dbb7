import { namespaces } from '@outrigger/api';
import type { ControlPlane } from '@outrigger/control-plane';
import type { Client } from '@outrigger/kube';
import { CALM, type Faults, type Simulator, type VirtualRuntime } from '@outrigger/kube/testing';
import { type WorkAgentOptions, startWorkAgent } from './work-agent.js';
import { CLUSTER_NAME, type WorkWorld, numbered } from './world.js';
import { definitionsOf } from '../../world/simulation.js';
import { type Interference, SimulatedWorld, interfering } from '../../world/simulated.js';

const CRDS = definitionsOf(new Set(['ManifestWork', 'AppliedManifestWork']));

export interface SimulatedWorkWorld extends WorkWorld {
  /** Waits for some virtual time. */
  pause(ms: number): Promise<void>;
  readonly simulator: Simulator;
  /** Starts an agent. If `interfere` crashes the agent, another one starts a second later, without interference. */
  startAgent(interfere?: Interference, faults?: Faults, options?: WorkAgentOptions): void;
  /** Whether the last agent has crashed. */
  readonly isDown: boolean;
  /** Ends the agent as a crash would. */
  crash(): void;
  /** Changes the agent's wall clock. */
  skew(ms: number): void;
  /** Advances virtual time until the promise of `work` resolves or rejects. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates two servers and an agent under a virtual clock. */
export async function createSimulatedWorld(seed: number, simulateWorkloads = true): Promise<SimulatedWorkWorld> {
  const simulated = await SimulatedWorld.create(seed);
  const { simulator, person } = simulated;
  const run = <T>(work: () => Promise<T>): Promise<T> => simulated.run(work());
  const servers = await run(async () => ({
    hub: await simulated.startServer('hub', { crds: CRDS }),
    cluster: await simulated.startServer('cluster', {
      crds: CRDS,
      ...(simulateWorkloads ? { simulateWorkloads: { readyAfterMs: 100 } } : {}),
    }),
  }));
  const hub = simulated.client(servers.hub.transport());
  const cluster = simulated.client(servers.cluster.transport());
  await run(() => hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER_NAME } }));

  let lives = 0;
  let agent: VirtualRuntime | undefined;
  const world: SimulatedWorkWorld = {
    simulator,
    hub,
    cluster,
    hubServer: 'https://hub',
    unique: numbered(),
    run,
    newNamespace: async () => {
      const name = world.unique('ns');
      await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    },
    startAgent(interfere = () => 'pass', faults = CALM, options = {}) {
      const runtime = simulated.process(`agent-${lives++}`);
      agent = runtime;
      const client = (server: ControlPlane): Client => {
        const die = (): void => {
          runtime.crash();
          simulator.schedule(1_000, () => world.startAgent());
        };
        const ownInterference: Interference = (request) => (runtime.scope.isCut ? 'pass' : interfere(request));
        return simulated.client(interfering(server.transport(), ownInterference, die), runtime, faults);
      };
      const context = { runtime, hub: client(servers.hub), cluster: client(servers.cluster), hubServer: 'https://hub' };
      void startWorkAgent(context, options);
    },
    get isDown() {
      return agent?.scope.isCut ?? true;
    },
    crash: () => agent?.crash(),
    skew: (ms) => agent?.skew(ms),
    eventually: simulated.eventually(100, () => ({ seed, log: simulator.log.slice(-30) })),
    pause: (ms) => person.timers.sleep(ms),
  };
  return world;
}
