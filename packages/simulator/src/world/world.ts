import {
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  namespaces,
  placements,
} from '@outrigger/api';
import { type Kind, type KubeObject, SeededRandom, apiVersionOf, deepEqual, isApiError } from '@outrigger/core';
import { Measurements, addOnController, clusterController, fleetController, placementController } from '@outrigger/hub/controllers';
import type { AnyController, Resource } from '@outrigger/kube';
import { Agenda, type ApiEvent, HubProcess, LayeredIntern, MemoryApi, Projections, type Snapshot } from '../engine/index.js';
import { Disturbances } from './disturbances.js';
import { ModelAgent } from './model-agent.js';
import { RealAgent } from './real-agent.js';
import { PROVIDER } from './policies.js';
import { metricsProvider } from './metrics.js';
import { ADD_ONS, CLUSTERS, OWN_CONFIG, VERSIONS, deploymentConfig, managedCluster, placement, template } from './objects.js';

/** 2026-01-01T00:00:00Z */
const START_AT = 1_767_225_600_000;
const CONTENT_NAMESPACE = 'hub';
const TERM = 'outrigger.dev/term';

/** A settled hub with joined clusters, as the initial state of runs. */
export interface PreparedWorld {
  readonly api: Snapshot;
  readonly values: ReadonlyMap<string, object>;
  readonly projections: Projections;
  readonly at: number;
}

export interface WorldOptions {
  readonly seed: number;
  readonly from?: PreparedWorld;
  /** Whether the hub has two processes, one of which leads. */
  readonly hasReplica: boolean;
  /** A change starts a pass of a hub process within this time. */
  readonly paceMs?: number | undefined;
  /** Whether the clusters controller is switched off. */
  readonly hasOtherManager?: boolean | undefined;
  /** Whether the clusters have their own API servers and run the agent's controllers. */
  readonly hasRealAgents?: boolean | undefined;
}

const DEFAULT_PACE_MS = 3;

/** An error that was thrown inside a process, not returned by the API server. */
export interface Defect {
  readonly at: number;
  readonly process: string;
  readonly controller: string;
  readonly key: string;
  readonly error: unknown;
}

/** All parts of a run: the API server, the hub processes, the agents, the garbage collector. */
export class World {
  readonly agenda: Agenda;
  readonly api: MemoryApi;
  readonly random: SeededRandom;
  readonly agents: ReadonlyMap<string, ModelAgent | RealAgent>;
  readonly disturbances: Disturbances;
  readonly defects: Defect[] = [];
  /** The value that the metrics provider reports for each add-on; undefined if it does not respond. Default: 0. */
  readonly metrics: Map<string, number | undefined> = new Map();
  /** The number of passes of all hub processes since the start, including processes that have ended. */
  passes = 0;
  readonly #intern: LayeredIntern;
  readonly projections: Projections;
  readonly #processes: HubProcess[] = [];
  readonly #hasReplica: boolean;
  readonly #paceMs: number;
  readonly #hasOtherManager: boolean;
  #leader = 0;
  #terms = 0;
  #incarnations = 0;
  #isCollecting = false;

  constructor({ seed, from, hasReplica, paceMs = DEFAULT_PACE_MS, hasOtherManager = false, hasRealAgents = false }: WorldOptions) {
    this.agenda = new Agenda(from?.at ?? START_AT);
    this.random = new SeededRandom(seed);
    this.api = new MemoryApi(() => this.agenda.now, from?.api);
    this.disturbances = new Disturbances(this.agenda, this.random);
    this.#intern = new LayeredIntern(from?.values);
    this.projections = new Projections(this.#intern.intern, from?.projections);
    this.#hasReplica = hasReplica;
    this.#paceMs = paceMs;
    this.#hasOtherManager = hasOtherManager;
    const agentOf = (cluster: string): ModelAgent | RealAgent =>
      hasRealAgents ? new RealAgent(cluster, this) : new ModelAgent(cluster, this);
    this.agents = new Map(CLUSTERS.map((cluster) => [cluster, agentOf(cluster)]));
    this.api.onChange = (event) => this.#changed(event);
    for (const agent of this.agents.values()) agent.start();
  }

  get processes(): readonly HubProcess[] {
    return this.#processes;
  }

  startHub(): void {
    this.#processes.push(this.#newProcess('hub-0'));
    if (this.#hasReplica) this.#processes.push(this.#newProcess('hub-1'));
    this.#processes[0]?.lead();
  }

  /** Ends the leading process, and after a delay starts a new one without in-memory state. Another replica takes over in the meantime. */
  crashLeader(downMs: number): void {
    const index = this.#leader;
    if (this.#processes[index]?.isDead) return;
    this.#processes[index]?.crash();
    if (this.#hasReplica) this.#hand((index + 1) % 2);
    this.agenda.after(downMs, () => {
      const fresh = this.#newProcess(`hub-${index}`);
      this.#processes[index] = fresh;
      if (this.#leader === index) fresh.lead();
    });
  }

  /** Makes the leader lose its lease in the middle of its work. The other replica takes over. */
  changeLeader(): void {
    if (!this.#hasReplica) return;
    this.#processes[this.#leader]?.step();
    this.#hand((this.#leader + 1) % 2);
  }

  /** Ends all processes and starts them again, as after an upgrade. */
  restartHub(): void {
    for (const [index, process] of this.#processes.entries()) {
      process.crash();
      this.#processes[index] = this.#newProcess(`hub-${index}`);
    }
    this.#processes[this.#leader]?.lead();
  }

  prepared(): PreparedWorld {
    return { api: this.api.snapshot(), values: this.#intern.values(), projections: this.projections, at: this.agenda.now };
  }

  /** Performs a write by a user. Ignores errors. */
  person(write: () => unknown): void {
    try {
      write();
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
  }

  #hand(next: number): void {
    this.#leader = next;
    const process = this.#processes[next];
    // Claim the rollouts for the new leader, so that late writes by the old leader contain an outdated resourceVersion.
    const term = `term-${++this.#terms}`;
    const names = Array.from(this.api.list(addOnRollouts), ({ metadata }) => metadata.name ?? '');
    for (const name of names) {
      this.api.patch({ name: `hub-${next} claim` }, addOnRollouts, { name }, { metadata: { annotations: { [TERM]: term } } });
    }
    process?.lead();
  }

  #newProcess(slot: string): HubProcess {
    const name = `${slot}#${++this.#incarnations}`;
    const clock = { now: () => this.agenda.now + this.disturbances.clockOffsetMs };
    const provider = metricsProvider(this.agenda, (addOn) => (this.metrics.has(addOn) ? this.metrics.get(addOn) : 0));
    const measurements = new Measurements(new Map([[PROVIDER, provider]]), clock);
    const isClockTrusted = (): boolean => Math.abs(this.disturbances.clockOffsetMs) <= TRUSTED_OFFSET_MS;
    const controllers = hubControllers({ hasOtherManager: this.#hasOtherManager, measurements, isClockTrusted });
    const process = new HubProcess({
      slot,
      name,
      controllers,
      apis: { hub: this.api },
      agenda: this.agenda,
      random: this.random,
      weather: this.disturbances,
      projections: this.projections,
      namespaces: contentNamespaces(controllers),
      clockOffsetMs: () => this.disturbances.clockOffsetMs,
      onPass: () => {
        this.passes++;
      },
      onDefect: (error, controller, key) => this.defects.push({ at: this.agenda.now, process: name, controller, key, error }),
      onWrite: () => {
        const downMs = this.disturbances.countWrite();
        if (downMs !== undefined) this.crashLeader(downMs);
      },
      paceMs: this.#paceMs,
      pinRevisions: this.#hasReplica,
    });
    process.attach('fleet', measurements);
    return process;
  }

  #changed(event: ApiEvent): void {
    for (const process of this.#processes) process.offer(event);
    for (const agent of this.agents.values()) agent.notice(event);
    const [was, is] = [event.before, event.after].map((object) => object?.metadata.ownerReferences ?? []);
    const isRelinked = event.before !== undefined && !deepEqual(was, is);
    if (!event.after || (!event.before && is?.length !== 0) || (isRelinked && this.api.orphans().length > 0)) this.#collect();
  }

  /**
   * Simulates the API server's garbage collector: deletes objects whose owners no longer exist, or did not exist when the objects were
   * linked to them.
   */
  #collect(): void {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    this.agenda.after(1 + this.random.below(20), () => {
      this.#isCollecting = false;
      for (const { plural, object } of this.api.orphans()) {
        const { name = '', namespace, uid } = object.metadata;
        const kind = { ...(addOnRollouts as Kind), plural };
        this.api.remove({ name: 'garbage collector' }, kind, namespace === undefined ? { name } : { namespace, name }, { uid });
      }
    });
  }
}

/** A manager does not trust its clock if it differs from the API server's by more than this. */
const TRUSTED_OFFSET_MS = 30_000;

interface ControllerOptions {
  readonly hasOtherManager: boolean;
  readonly measurements: Measurements;
  readonly isClockTrusted: () => boolean;
}

function hubControllers({ hasOtherManager, ...fleet }: ControllerOptions): readonly AnyController[] {
  const shared = { contentNamespace: CONTENT_NAMESPACE, otherConfigs: { get: () => 'Unread' as const } };
  const clusters = hasOtherManager ? [] : [clusterController()];
  return [
    fleetController({ ...shared, ...fleet }),
    addOnController(shared),
    placementController(),
    ...clusters,
  ] as readonly AnyController[];
}

function contentNamespaces(controllers: readonly AnyController[]): ReadonlyMap<Resource, string> {
  const reads = controllers.flatMap((controller) => controller.reads ?? []);
  return new Map(reads.filter(({ kind }) => kind.plural === 'controllerrevisions').map((resource) => [resource, CONTENT_NAMESPACE]));
}

/** A hub with three joined clusters, templates, configs and Placements; no add-on is declared. */
export async function prepareWorld(): Promise<PreparedWorld> {
  const world = new World({ seed: 0, hasReplica: false });
  const admin = { name: 'person' };
  const put = (kind: Kind, object: KubeObject): void => void world.api.create(admin, kind, object);
  const make = (kind: Kind, metadata: KubeObject['metadata'], rest: object = {}): void =>
    put(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest });
  for (const name of [CONTENT_NAMESPACE, 'default']) make(namespaces, { name });
  make(managedClusterSets, { name: 'global' }, { spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } } });
  make(managedClusterSetBindings, { namespace: 'default', name: 'global' }, { spec: { clusterSet: 'global' } });
  for (const [kind, object] of baseObjects()) put(kind, object);
  for (const [i, cluster] of CLUSTERS.slice(0, 3).entries()) {
    put(managedClusters, managedCluster(cluster, { fleet: 'yes', ...(i === 0 ? { canary: 'yes' } : {}) }));
  }
  world.startHub();
  await world.agenda.runUntil(world.agenda.now + 30_000);
  if (world.defects.length > 0) throw new Error('the prepared world has a defect', { cause: world.defects[0]?.error });
  return world.prepared();
}

function baseObjects(): readonly (readonly [Kind, KubeObject])[] {
  return [
    ...ADD_ONS.flatMap((addOn) => VERSIONS.map((version) => [addOnTemplates, template(addOn, version, 'good-0')] as const)),
    ...[...ADD_ONS, OWN_CONFIG].map((name) => [addOnDeploymentConfigs, deploymentConfig(name, name === OWN_CONFIG ? 'own' : '0')] as const),
    [placements, placement('all', { fleet: 'yes' }, 1, true)],
    [placements, placement('canary', { canary: 'yes' }, 1, false)],
  ];
}
