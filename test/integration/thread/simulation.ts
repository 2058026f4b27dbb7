import { createAgent } from '@outrigger/agent';
import { createHub } from '@outrigger/hub';
import type { Simulator, VirtualRuntime } from '@outrigger/kube/testing';
import { type Arrived, CLUSTER_NAME, type ThreadWorld, arrived, declare, editTemplate, remove } from './scenario.js';
import { definitionsOf } from '../../world/simulation.js';
import { SimulatedProcess } from '../../world/simulated-process.js';
import { FAULTY_NETWORK, SimulatedWorld } from '../../world/simulated.js';

/** Only the kinds that the scenario uses are served, because every run compiles the schemas again. */
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

export interface SimulationResult {
  readonly log: readonly string[];
  readonly installed: Arrived;
  readonly edited: Arrived;
}

/** Runs the scenario under a virtual clock, with lagging watches, lost requests, and repeated crashes of the manager and the agent. */
export async function simulateThread(seed: number): Promise<SimulationResult> {
  const simulated = await SimulatedWorld.create(seed);
  const { simulator } = simulated;
  const hubServer = await simulated.run(simulated.startServer('hub', { crds: HUB_CRDS }));
  const simulateWorkloads = { readyAfterMs: 200 };
  const clusterServer = await simulated.run(simulated.startServer('cluster', { crds: CLUSTER_CRDS, simulateWorkloads }));

  const processes = [
    restarting(simulator, 'manager', (runtime) => {
      const client = simulated.client(hubServer.transport(), runtime, FAULTY_NETWORK);
      return createHub({ runtime, client, namespace: 'default', placement: false, clusters: false });
    }),
    restarting(simulator, 'agent', (runtime) => {
      const hub = simulated.client(hubServer.transport(), runtime, FAULTY_NETWORK);
      const cluster = simulated.client(clusterServer.transport(), runtime, FAULTY_NETWORK);
      return createAgent({ runtime, hub, cluster, clusterName: CLUSTER_NAME, hubServer: 'https://hub', agentId: 'agent' });
    }),
  ];
  for (const process of processes) process.start();

  const world: ThreadWorld = {
    hub: simulated.client(hubServer.transport()),
    cluster: simulated.client(clusterServer.transport()),
    eventually: simulated.eventually(500),
  };
  return simulated.run(
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

/** Returns a process that crashes four times, at random times. */
function restarting(simulator: Simulator, name: string, create: (runtime: VirtualRuntime) => { start(): Promise<void> }): SimulatedProcess {
  let lives = 0;
  const process: SimulatedProcess = new SimulatedProcess(simulator, name, (runtime) => {
    lives++;
    if (lives <= 4) simulator.schedule(200 + simulator.random.next() * 6000, () => process.crash(simulator.random.next() * 1000));
    return create(runtime);
  });
  return process;
}
