import { namespaces } from '@outrigger/api';
import { type ControlPlane, createControlPlane } from '@outrigger/control-plane';
import type { ApiRequest, Transport } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { CALM, type Faults, Simulator, type VirtualRuntime, connect, createVirtualRuntime } from '@outrigger/kube/testing';
import { type WorkAgentOptions, startWorkAgent } from './work-agent.js';
import { CLUSTER_NAME, type WorkWorld, numbered } from './world.js';
import { VIRTUAL, eventually } from '../../world/eventually.js';
import { definitionsOf, drive, preparedVault } from '../../world/simulation.js';

const CRDS = definitionsOf(new Set(['ManifestWork', 'AppliedManifestWork']));

/** Called for every request of the agent; a crash ends the agent before or after the server handles the request. */
export type Interference = (request: ApiRequest) => 'pass' | 'crash before' | 'crash after';

export interface SimulatedWorld extends WorkWorld {
  /** Waits for some virtual time. */
  pause(ms: number): Promise<void>;
  readonly simulator: Simulator;
  /** Starts an agent. If `interfere` crashes it, another agent starts a second later, without interference. */
  startAgent(interfere?: Interference, faults?: Faults, options?: WorkAgentOptions): void;
  /** Whether the last agent has crashed. */
  readonly isDown: boolean;
  /** Ends the agent as a crash would. */
  crash(): void;
  /** Moves the agent's wall clock. */
  skew(ms: number): void;
  /** Lets virtual time pass until `work` is settled. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Two servers and an agent under a virtual clock. */
export async function createSimulatedWorld(seed: number, simulateWorkloads = true): Promise<SimulatedWorld> {
  const vault = await preparedVault();
  const simulator = new Simulator({ seed });
  const run = <T>(work: () => Promise<T>): Promise<T> => drive(simulator, work());
  const servers = await run(async () => {
    const create = (name: string, options: object): Promise<ControlPlane> =>
      createControlPlane({ runtime: createVirtualRuntime(simulator, name), storage: 'memory', crds: CRDS, vault, ...options });
    const hub = await create('hub', {});
    const cluster = await create('cluster', simulateWorkloads ? { simulateWorkloads: { readyAfterMs: 100 } } : {});
    await hub.start();
    await cluster.start();
    return { hub, cluster };
  });
  const person = createVirtualRuntime(simulator, 'person');
  const clientOf = (server: ControlPlane): Client =>
    createClient({ transport: connect(simulator, server.transport(), { client: person, faults: CALM }), runtime: person });
  const hub = clientOf(servers.hub);
  const cluster = clientOf(servers.cluster);
  await run(() => hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER_NAME } }));

  let lives = 0;
  let agent: VirtualRuntime | undefined;
  const world: SimulatedWorld = {
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
      const runtime = createVirtualRuntime(simulator, `agent-${lives++}`);
      agent = runtime;
      const client = (server: ControlPlane): Client => {
        const die = (): void => {
          runtime.crash();
          simulator.schedule(1_000, () => world.startAgent());
        };
        const transport = connect(simulator, interfering(server.transport(), interfere, runtime, die), { client: runtime, faults });
        return createClient({ transport, runtime });
      };
      const surroundings = { runtime, hub: client(servers.hub), cluster: client(servers.cluster), hubServer: 'https://hub' };
      void startWorkAgent(surroundings, options);
    },
    get isDown() {
      return agent?.scope.isCut ?? true;
    },
    crash: () => agent?.crash(),
    skew: (ms) => agent?.skew(ms),
    eventually: (what, condition) =>
      eventually({ ...person, patience: VIRTUAL }, what, condition, () => ({ seed, log: simulator.log.slice(-30) })),
    pause: (ms) => person.timers.sleep(ms),
  };
  return world;
}

function interfering(inner: Transport, interfere: Interference, agent: VirtualRuntime, die: () => void): Transport {
  return {
    close: () => inner.close(),
    async send(request, signal) {
      const verdict = agent.scope.isCut ? 'pass' : interfere(request);
      if (verdict === 'crash before') {
        die();
        return new Promise(() => undefined);
      }
      const answer = await inner.send(request, signal);
      if (verdict === 'crash after') die();
      return answer;
    },
  };
}
