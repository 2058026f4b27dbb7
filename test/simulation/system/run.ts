import { createAgent } from '@outrigger/agent';
import {
  KIND_DEFINITIONS,
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  appliedManifestWorks,
  clusterManagementAddOns,
  controllerRevisions,
  deployments,
  managedClusterAddOns,
  managedClusterSetBindings,
  managedClusters,
  manifestWorks,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { type Kind, type KubeObject, apiVersionOf, keyOf, keyString } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { CALM, type Simulator, type VirtualRuntime, createVirtualRuntime } from '@outrigger/kube/testing';
import {
  ADD_ONS,
  CLUSTERS,
  type Evidence,
  type History,
  type LogEntry,
  OWN_CONFIG,
  type Step,
  VERSIONS,
  type Violation,
  deploymentConfig,
  isFault,
  judgeSystem,
  managedCluster,
  phaseOf,
  placement,
  template,
} from '@outrigger/simulator';
import { FAULTY_NETWORK, SimulatedWorld } from '../../world/simulated.js';
import { definitionsOf } from '../../world/simulation.js';
import { actOnHub, put } from './people.js';

const HUB_GROUPS = /open-cluster-management\.io$|^outrigger\.dev$/;
const CLUSTER_KINDS = new Set(['AppliedManifestWork', 'ClusterClaim']);
/** The kinds whose objects the model reads. */
const JUDGED: readonly Kind[] = [
  clusterManagementAddOns,
  managedClusterAddOns,
  addOnRollouts,
  manifestWorks,
  managedClusters,
  placements,
  placementDecisions,
  addOnTemplates,
  addOnDeploymentConfigs,
  controllerRevisions,
];
const ON_CLUSTERS: readonly Kind[] = [deployments, appliedManifestWorks];
const CONTENT_NAMESPACE = 'default';
/** The hub has settled when no object that the model reads has changed for this long. */
const QUIET_MS = 45_000;
const SETTLE_MS = 40 * 60_000;

/** A run of the second layer: whole servers, a manager and agents in one process under the virtual clock. */
export interface SystemRun {
  readonly history: History;
  readonly violations: readonly Violation[];
  readonly virtualMs: number;
  /** The state of each add-on's rollout when a step was executed, by step. */
  readonly phases: readonly ReadonlyMap<string, string>[];
}

/** Runs a history on the whole system, and checks its final state with the rules of the model. */
export async function runSystem(history: History): Promise<SystemRun> {
  const simulated = await SimulatedWorld.create(history.seed);
  const { simulator } = simulated;
  const hasFaults = history.steps.some(({ step }) => isFault(step));
  const network = hasFaults ? FAULTY_NETWORK : CALM;
  const crds = definitionsOf(new Set(KIND_DEFINITIONS.filter(({ group }) => HUB_GROUPS.test(group)).map(({ kind }) => kind)));
  const hubServer = await simulated.run(simulated.startServer('hub', { crds }));
  const hub = simulated.client(hubServer.transport());
  const manager = new Process(simulator, 'manager', (runtime) =>
    createHub({ runtime, client: simulated.client(hubServer.transport(), runtime, network), namespace: CONTENT_NAMESPACE }),
  );
  const clusters = new Map<string, { readonly api: Client; readonly agent: Process }>();
  for (const name of CLUSTERS) {
    const options = { crds: definitionsOf(CLUSTER_KINDS), simulateWorkloads: { readyAfterMs: 2_000 } };
    const server = await simulated.run(simulated.startServer(name, options));
    const agent = new Process(simulator, `agent-${name}`, (runtime) => {
      const [ofHub, own] = [hubServer, server].map((one) => simulated.client(one.transport(), runtime, network)) as [Client, Client];
      return createAgent({
        runtime,
        hub: ofHub,
        cluster: own,
        clusterName: name,
        hubServer: 'https://hub',
        agentId: `id-${name}`,
        work: { evictionGraceMs: 60_000 },
      });
    });
    clusters.set(name, { api: simulated.client(server.transport()), agent });
  }
  const phases: ReadonlyMap<string, string>[] = [];
  const sleep = (ms: number): Promise<void> => simulated.person.timers.sleep(ms);
  return simulated.run(
    (async (): Promise<SystemRun> => {
      await prepare(hub);
      for (const process of [manager, ...[...clusters.values()].map(({ agent }) => agent)]) process.start();
      for (const { afterMs, step } of history.steps) {
        await sleep(afterMs);
        phases.push(await phasesOf(hub));
        if (isFault(step)) disturb(step, manager, (name) => clusters.get(name)?.agent);
        else await actOnHub(hub, step);
      }
      for (const process of [manager, ...[...clusters.values()].map(({ agent }) => agent)]) process.heal();
      await heal(hub);
      const hasSettled = await settle(hub, sleep, simulator);
      const before = await versions(hub);
      manager.restart();
      await sleep(QUIET_MS);
      const after = await versions(hub);
      const changed = [...after].filter(([id, version]) => before.get(id) !== version).map(([id]) => id);
      const evidence = await evidenceOf(hub, clusters, { hasSettled, hasFaults, changed });
      for (const process of [manager, ...[...clusters.values()].map(({ agent }) => agent)]) process.end();
      return { history, violations: judgeSystem(evidence), virtualMs: simulator.now, phases };
    })(),
  );
}

async function phasesOf(hub: Client): Promise<ReadonlyMap<string, string>> {
  const { items } = await hub.list(addOnRollouts);
  return new Map(items.map((rollout) => [rollout.metadata.name ?? '', phaseOf(rollout)]));
}

/** A process that crashes and restarts without its in-memory state. */
class Process {
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
    if (this.#isOver || this.#runtime) return;
    this.#runtime = createVirtualRuntime(this.#simulator, `${this.#name}-${this.#lives++}`);
    void this.#create(this.#runtime).start();
  }

  crash(downMs: number): void {
    this.#runtime?.crash();
    this.#runtime = undefined;
    this.#simulator.schedule(downMs, () => this.start());
  }

  restart(): void {
    this.crash(1);
  }

  heal(): void {
    this.start();
  }

  end(): void {
    this.#isOver = true;
    this.#runtime?.crash();
  }
}

function disturb(step: Step, manager: Process, agentOf: (cluster: string) => Process | undefined): void {
  if (step.do === 'crash') manager.crash(step.downMs);
  else if (step.do === 'leader change') manager.crash(1);
  else if (step.do === 'agent crash') agentOf(step.cluster)?.crash(step.downMs);
  // A cluster that becomes unavailable for long stays so until the end of the run.
  else if (step.do === 'cluster away') agentOf(step.cluster)?.crash(step.forMs);
}

/** Creates the objects with which the first layer also starts. */
async function prepare(hub: Client): Promise<void> {
  const binding = { apiVersion: apiVersionOf(managedClusterSetBindings), kind: 'ManagedClusterSetBinding' };
  await hub.create(managedClusterSetBindings, {
    ...binding,
    metadata: { namespace: 'default', name: 'global' },
    spec: { clusterSet: 'global' },
  });
  for (const addOn of ADD_ONS) for (const version of VERSIONS) await put(hub, addOnTemplates, template(addOn, version, 'good-0'));
  for (const name of [...ADD_ONS, OWN_CONFIG])
    await put(hub, addOnDeploymentConfigs, deploymentConfig(name, name === OWN_CONFIG ? 'own' : '0'));
  await put(hub, placements, placement('all', { fleet: 'yes' }, 1, true));
  await put(hub, placements, placement('canary', { canary: 'yes' }, 1, false));
  for (const [i, name] of CLUSTERS.slice(0, 3).entries()) {
    await put(hub, managedClusters, managedCluster(name, { fleet: 'yes', ...(i === 0 ? { canary: 'yes' } : {}) }));
  }
}

async function heal(hub: Client): Promise<void> {
  for (const addOn of ADD_ONS) {
    await actOnHub(hub, { do: 'pause', addOn, paused: false });
    await actOnHub(hub, { do: 'pin', addOn, back: undefined });
  }
}

/** Waits until nothing has changed for some time. A simulated user confirms every pending removal. */
async function settle(hub: Client, sleep: (ms: number) => Promise<void>, simulator: Simulator): Promise<boolean> {
  const until = simulator.now + SETTLE_MS;
  let last = await versions(hub);
  let since = simulator.now;
  while (simulator.now < until) {
    await sleep(5_000);
    for (const addOn of ADD_ONS) await actOnHub(hub, { do: 'confirm', addOn, off: 0 });
    const now = await versions(hub);
    const isSame = now.size === last.size && [...now].every(([id, version]) => last.get(id) === version);
    if (!isSame) since = simulator.now;
    last = now;
    if (simulator.now - since >= QUIET_MS) return true;
  }
  return false;
}

async function versions(hub: Client): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [kind, objects] of await objectsOf(hub, JUDGED)) {
    // Agents report their clusters' versions and Leases, so only the hub's own writes count.
    for (const [id, { metadata }] of objects) found.set(`${kind} ${id}`, metadata.resourceVersion ?? '');
  }
  return found;
}

async function objectsOf(client: Client, kinds: readonly Kind[]): Promise<ReadonlyMap<string, ReadonlyMap<string, KubeObject>>> {
  const found = new Map<string, ReadonlyMap<string, KubeObject>>();
  for (const kind of kinds) {
    const { items } = await client.list(kind);
    found.set(kind.plural, new Map(items.map((item) => [keyString(keyOf(item)), item])));
  }
  return found;
}

async function evidenceOf(
  hub: Client,
  clusters: ReadonlyMap<string, { readonly api: Client }>,
  { hasSettled, hasFaults, changed }: { readonly hasSettled: boolean; readonly hasFaults: boolean; readonly changed: readonly string[] },
): Promise<Evidence> {
  const initial = await objectsOf(hub, JUDGED);
  const ofClusters = new Map<string, readonly LogEntry[]>();
  for (const [name, { api }] of clusters) {
    const objects = await objectsOf(api, ON_CLUSTERS);
    const entries = [...objects].flatMap(([kind, all]) => [...all].map(([id, after]) => ({ kind, id, after })));
    ofClusters.set(
      name,
      entries.map(({ kind, id, after }, index) => ({ index, at: 0, actor: 'end', kind, id, before: undefined, after, pass: undefined })),
    );
  }
  return {
    initial,
    log: [],
    clusters: ofClusters,
    hasFaults,
    hasClockSteps: false,
    hasLostAnswers: hasFaults,
    hasSettled,
    idleRequests: [],
    restartRequests: changed,
    defects: [],
    onClusters: new Map(),
  };
}
