import {
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  certificateSigningRequests,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  namespaces,
  placements,
} from '@outrigger/api';
import { type Kind, type KubeObject, SeededRandom, apiVersionOf, deepEqual, isApiError } from '@outrigger/core';
import {
  Measurements,
  NO_BOOTSTRAP_USERS,
  RequestProblems,
  addOnController,
  clusterController,
  fleetController,
  placementController,
  registrationController,
} from '@outrigger/hub/controllers';
import type { AnyController, Resource } from '@outrigger/kube';
import { Agenda, type ApiEvent, HubProcess, LayeredIntern, MemoryApi, Projections, type Snapshot } from '../engine/index.js';
import { Credentials } from './credentials.js';
import { Disturbances } from './disturbances.js';
import { LaterManager } from './later-manager.js';
import { ModelAgent } from './model-agent.js';
import { RealAgent } from './real-agent.js';
import { type Holders, Registration } from './registration.js';
import { PROVIDER } from './policies.js';
import { metricsProvider } from './metrics.js';
import {
  ADD_ONS,
  CLUSTERS,
  type ClusterName,
  OWN_CONFIG,
  VERSIONS,
  deploymentConfig,
  managedCluster,
  placement,
  template,
} from './objects.js';

/** 2026-01-01T00:00:00Z */
const START_AT = 1_767_225_600_000;
const CONTENT_NAMESPACE = 'hub';
const TERM = 'outrigger.dev/term';

/** A settled hub, as the initial state of runs. */
interface SettledHub {
  readonly api: Snapshot;
  readonly values: ReadonlyMap<string, object>;
  readonly projections: Projections;
  readonly at: number;
}

/** A settled hub with joined clusters. */
export interface PreparedWorld extends SettledHub {
  /** The same hub after it has issued certificates to its clusters, for runs with the registration controller. */
  readonly registered: SettledHub & { readonly credentials: Credentials; readonly holders: Holders };
}

export interface WorldOptions {
  readonly seed: number;
  readonly from?: SettledHub;
  /** Whether the hub has two processes, one of which leads. */
  readonly hasReplica: boolean;
  /** The maximum time between a change and the pass of a hub process that it starts. */
  readonly paceMs?: number | undefined;
  /** Whether the clusters controller is switched off. */
  readonly hasOtherManager?: boolean | undefined;
  /** Whether the clusters have their own API servers and run the agent's controllers. */
  readonly hasRealAgents?: boolean | undefined;
  /** The certificates of the clusters, if the registration controller runs. */
  readonly registered?: { readonly credentials: Credentials; readonly holders?: Holders } | undefined;
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
  readonly agents: ReadonlyMap<ClusterName, ModelAgent | RealAgent>;
  readonly disturbances: Disturbances;
  readonly laterManager: LaterManager;
  readonly defects: Defect[] = [];
  /** The value that the metrics provider reports for each add-on; undefined if it does not respond. Defaults to 0. */
  readonly metrics: Map<string, number | undefined> = new Map();
  /** The number of passes of all hub processes since the start, including processes that have ended. */
  passes = 0;
  readonly #intern: LayeredIntern;
  readonly projections: Projections;
  readonly #processes: HubProcess[] = [];
  readonly #hasReplica: boolean;
  readonly #paceMs: number;
  readonly #hasOtherManager: boolean;
  /** The machines that ask for certificates, if the registration controller runs. */
  readonly registration: Registration | undefined;
  #leader = 0;
  #terms = 0;
  #incarnations = 0;
  #isCollecting = false;

  constructor(options: WorldOptions) {
    const { seed, from, hasReplica, paceMs = DEFAULT_PACE_MS, hasOtherManager = false, hasRealAgents = false, registered } = options;
    this.agenda = new Agenda(from?.at ?? START_AT);
    this.random = new SeededRandom(seed);
    this.api = new MemoryApi(() => this.agenda.now, from?.api);
    this.disturbances = new Disturbances(this.agenda, this.random);
    this.laterManager = new LaterManager(this.api, this.agenda);
    this.#intern = new LayeredIntern(from?.values);
    this.projections = new Projections(this.#intern.intern, from?.projections);
    this.#hasReplica = hasReplica;
    this.#paceMs = paceMs;
    this.#hasOtherManager = hasOtherManager;
    const agentOf = (cluster: ClusterName): ModelAgent | RealAgent =>
      hasRealAgents ? new RealAgent(cluster, this) : new ModelAgent(cluster, this);
    this.agents = new Map(CLUSTERS.map((cluster) => [cluster, agentOf(cluster)]));
    this.registration = registered && this.#newRegistration(registered.credentials, registered.holders);
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

  /** Whether the agent of a cluster can reach the hub: it always can, unless it has to join first. */
  isRegistered(cluster: ClusterName): boolean {
    return this.registration?.hasJoined(cluster) ?? true;
  }

  prepared(): SettledHub {
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

  #newRegistration(credentials: Credentials, holders: Holders | undefined): Registration {
    const { api, agenda, random } = this;
    const context = {
      api,
      agenda,
      random,
      person: (write: () => unknown) => this.person(write),
      isAway: (cluster: ClusterName) => this.agents.get(cluster)?.isAway === true,
      joined: (cluster: ClusterName) => this.agents.get(cluster)?.joined(),
    };
    return new Registration(credentials, context, holders);
  }

  #newProcess(slot: string): HubProcess {
    const name = `${slot}#${++this.#incarnations}`;
    const clock = { now: () => this.agenda.now + this.disturbances.clockOffsetMs };
    const provider = metricsProvider(this.agenda, (addOn) => (this.metrics.has(addOn) ? this.metrics.get(addOn) : 0));
    const measurements = new Measurements(new Map([[PROVIDER, provider]]), clock);
    const isClockTrusted = (): boolean => Math.abs(this.disturbances.clockOffsetMs) <= TRUSTED_OFFSET_MS;
    const problems = this.registration && new RequestProblems();
    const controllers = hubControllers({ hasOtherManager: this.#hasOtherManager, problems, measurements, isClockTrusted });
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
    if (problems) process.attach('addon', problems);
    return process;
  }

  #changed(event: ApiEvent): void {
    for (const process of this.#processes) process.offer(event);
    for (const agent of this.agents.values()) agent.notice(event);
    this.registration?.notice(event);
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
  /** The object to which the registration controller reports problems; undefined if that controller does not run. */
  readonly problems: RequestProblems | undefined;
  readonly measurements: Measurements;
  readonly isClockTrusted: () => boolean;
}

function hubControllers({ hasOtherManager, problems, ...fleet }: ControllerOptions): readonly AnyController[] {
  const shared = { contentNamespace: CONTENT_NAMESPACE, otherConfigs: { get: () => 'Unread' as const } };
  const clusters = hasOtherManager ? [] : [clusterController()];
  return [
    fleetController({ ...shared, ...fleet }),
    addOnController({ ...shared, ...(problems ? { requestProblems: problems } : {}) }),
    placementController(),
    ...clusters,
    ...(problems ? [registrationController({ managerNamespace: CONTENT_NAMESPACE, problems, bootstrap: NO_BOOTSTRAP_USERS })] : []),
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
  const prepared = world.prepared();
  return { ...prepared, registered: await register(prepared) };
}

/**
 * Makes the machines of the joined clusters get certificates. A simulated user approves their requests, because the hub does not know the
 * keys of these clusters.
 */
async function register(prepared: SettledHub): Promise<PreparedWorld['registered']> {
  const credentials = await Credentials.create();
  const world = new World({ seed: 0, from: prepared, hasReplica: false, registered: { credentials } });
  world.startHub();
  for (const cluster of CLUSTERS.slice(0, 3)) world.registration?.act({ do: 'ask to join', cluster, machine: 'first' });
  for (const { metadata } of world.api.list(certificateSigningRequests)) {
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Person' }];
    const key = { name: metadata.name ?? '' };
    world.api.patch({ name: 'person' }, certificateSigningRequests, key, { status: { conditions } }, { subresource: 'approval' });
  }
  await world.agenda.runUntil(world.agenda.now + 30_000);
  if (world.defects.length > 0) throw new Error('the registered world has a defect', { cause: world.defects[0]?.error });
  return { ...world.prepared(), credentials, holders: world.registration?.holders ?? new Map() };
}

function baseObjects(): readonly (readonly [Kind, KubeObject])[] {
  return [
    ...ADD_ONS.flatMap((addOn) => VERSIONS.map((version) => [addOnTemplates, template(addOn, version, 'good-0')] as const)),
    ...[...ADD_ONS, OWN_CONFIG].map((name) => [addOnDeploymentConfigs, deploymentConfig(name, name === OWN_CONFIG ? 'own' : '0')] as const),
    [placements, placement('all', { fleet: 'yes' }, 1, true)],
    [placements, placement('canary', { canary: 'yes' }, 1, false)],
  ];
}
