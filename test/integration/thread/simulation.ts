import { createAgent } from '@outrigger/agent';
import { type ControlPlane, type Vault, createControlPlane } from '@outrigger/control-plane';
import { createHub } from '@outrigger/hub';
import { createClient } from '@outrigger/kube';
import { CALM, type Faults, Simulator, type VirtualRuntime, connect, createVirtualRuntime } from '@outrigger/kube/testing';
import { type Arrived, CLUSTER_NAME, type ThreadWorld, arrived, declare, editTemplate, remove } from './scenario.js';
import { VIRTUAL, eventually } from '../../world/eventually.js';
import { definitionsOf, drive } from '../../world/simulation.js';

/** Only the kinds that the thread uses, because every run compiles the schemas again. */
const USED = new Set([
  'ClusterManagementAddOn',
  'ManagedClusterAddOn',
  'AddOnDeploymentConfig',
  'AddOnTemplate',
  'AddOnRollout',
  'ManifestWork',
  'ManagedCluster',
  'Placement',
  'PlacementDecision',
]);
const CLUSTER_KINDS = new Set(['AppliedManifestWork', 'ClusterClaim']);
const HUB_CRDS = definitionsOf(USED);
const CLUSTER_CRDS = definitionsOf(CLUSTER_KINDS);

const FAULTY_NETWORK: Faults = { latencyMs: [1, 30], watchLagMs: [0, 1500], dropBefore: 0.03, dropAfter: 0.03, breakWatch: 0.02 };

export interface SimulationResult {
  readonly log: readonly string[];
  readonly installed: Arrived;
  readonly edited: Arrived;
}

/** The thread under a virtual clock, with lagging watches, lost requests, and repeated crashes of manager and agent. */
export async function simulateThread(seed: number, vault: Vault): Promise<SimulationResult> {
  const simulator = new Simulator({ seed });
  const serverRuntime = (name: string): VirtualRuntime => createVirtualRuntime(simulator, name);
  const run = <T>(work: Promise<T>): Promise<T> => drive(simulator, work);

  const hubServer = await run(createControlPlane({ runtime: serverRuntime('hub'), storage: 'memory', crds: HUB_CRDS, vault }));
  const clusterServer = await run(
    createControlPlane({
      runtime: serverRuntime('cluster'),
      storage: 'memory',
      crds: CLUSTER_CRDS,
      vault,
      simulateWorkloads: { readyAfterMs: 200 },
    }),
  );
  await run(hubServer.start());
  await run(clusterServer.start());

  const processes = [
    new Restarting(simulator, 'manager', (runtime) => {
      const client = createClient({ transport: link(simulator, hubServer, runtime, FAULTY_NETWORK), runtime });
      return createHub({ runtime, client, namespace: 'default', placement: false, clusters: false });
    }),
    new Restarting(simulator, 'agent', (runtime) => {
      const hub = createClient({ transport: link(simulator, hubServer, runtime, FAULTY_NETWORK), runtime });
      const cluster = createClient({ transport: link(simulator, clusterServer, runtime, FAULTY_NETWORK), runtime });
      return createAgent({ runtime, hub, cluster, clusterName: CLUSTER_NAME, hubServer: 'https://hub', agentId: 'agent' });
    }),
  ];
  for (const process of processes) process.start();

  const person = createVirtualRuntime(simulator, 'person');
  const world: ThreadWorld = {
    hub: createClient({ transport: link(simulator, hubServer, person, CALM), runtime: person }),
    cluster: createClient({ transport: link(simulator, clusterServer, person, CALM), runtime: person }),
    eventually: (what, condition) =>
      eventually({ ...person, patience: { ...VIRTUAL, everyMs: 500 } }, what, condition, () => `seed ${seed}`),
  };
  return run(
    (async () => {
      await declare(world);
      const installed = await arrived(world, 'example.com/hello:1');
      await editTemplate(world, 'example.com/hello:2');
      const edited = await arrived(world, 'example.com/hello:2');
      await remove(world);
      for (const process of processes) process.end();
      return { log: simulator.log, installed, edited };
    })(),
  );
}

function link(simulator: Simulator, server: ControlPlane, client: VirtualRuntime, faults: Faults): ReturnType<typeof connect> {
  return connect(simulator, server.transport(), { client, faults });
}

/** A process that is killed and restarted a few times, at random times. */
class Restarting {
  readonly #simulator: Simulator;
  readonly #name: string;
  readonly #create: (runtime: VirtualRuntime) => { start(): Promise<void> };
  #runtime: VirtualRuntime | undefined;
  #lives = 0;
  #isOver = false;

  constructor(simulator: Simulator, name: string, create: (runtime: VirtualRuntime) => { start(): Promise<void> }) {
    this.#simulator = simulator;
    this.#name = name;
    this.#create = create;
  }

  start(): void {
    if (this.#isOver) return;
    const runtime = createVirtualRuntime(this.#simulator, `${this.#name}-${this.#lives++}`);
    this.#runtime = runtime;
    void this.#create(runtime).start();
    if (this.#lives > 4) return;
    this.#simulator.schedule(200 + this.#simulator.random.next() * 6000, () => {
      runtime.crash();
      this.#simulator.schedule(this.#simulator.random.next() * 1000, () => this.start());
    });
  }

  end(): void {
    this.#isOver = true;
    this.#runtime?.crash();
  }
}
