import {
  type AddOnRollout,
  type ManagedClusterAddOn,
  type Placement,
  type PlacementDecision,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  controllerRevisions,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements as placementKind,
  rolloutApprovals,
  rolloutPolicies,
} from '@outrigger/api';
import { ApiError, type Kind, type KubeObject, toTime } from '@outrigger/core';
import type { Action, CacheView, Controller, EffectAction, KeyMemory, Resource } from '@outrigger/kube';
import { nowAt } from '@outrigger/kube/testing';
import { addOns } from '../../src/resources/add-ons.js';
import { clusters } from '../../src/resources/clusters.js';
import { targetRecords } from '../../src/resources/target-records.js';
import { storedContents } from '../../src/resources/stored-contents.js';
import { declarations } from '../../src/resources/declarations.js';
import { decisions, placements } from '../../src/resources/placements.js';
import { approvals, policies } from '../../src/resources/rollout-policies.js';
import { rollouts } from '../../src/resources/rollouts.js';
import { templates } from '../../src/resources/templates.js';
import type { AddressedNotification, ProviderAnswer } from '@outrigger/rules/policy';
import type { PredictionRequest } from '@outrigger/rules/prediction';
import { requireExisting } from '../../src/controllers/declaration-guard.js';
import { fleetController } from '../../src/controllers/fleet/controller.js';
import { requireCurrent } from '../../src/controllers/fleet/record-guard.js';
import type { FleetEffects, RolloutCounts } from '../../src/controllers/fleet/effects.js';
import type { FleetMemory } from '../../src/controllers/fleet/memory.js';
import type { FleetState } from '../../src/controllers/fleet/state.js';
import type { EntryMeasurement, MeasurementRequest } from '../../src/rollout-policies/measurements.js';
import type { ComputedEnd, Forecast, PredictionsDue } from '../../src/rollout-policies/predictions.js';
import { MemoryHub } from './memory-hub.js';
import { MemoryView } from './memory-view.js';
import { annotate } from '../../src/controllers/fleet/assigned-content.js';
import { writesOfPass } from './simulated-add-on.js';

export const ADD_ON = 'hello';
const ADDON_API = 'addon.open-cluster-management.io/v1alpha1';
const CLUSTER_API = 'cluster.open-cluster-management.io';

/** The kinds that a hub process watches. The cache of each kind has its own lag. */
export const WATCHED: readonly (readonly [Resource, Kind])[] = [
  [declarations, clusterManagementAddOns],
  [rollouts, addOnRollouts],
  [addOns, managedClusterAddOns],
  [clusters, managedClusters],
  [placements, placementKind],
  [decisions, placementDecisions],
  [templates, addOnTemplates],
  [storedContents, controllerRevisions],
  [targetRecords, controllerRevisions],
  [policies, rolloutPolicies],
  [approvals, rolloutApprovals],
] as unknown as readonly (readonly [Resource, Kind])[];

/** The caches of one process, which are snapshots of different ages. */
class Caches {
  readonly #hub: MemoryHub;
  readonly #seen = new Map<string, ReadonlyMap<string, KubeObject>>();

  constructor(hub: MemoryHub) {
    this.#hub = hub;
    this.catchUp();
  }

  catchUp(isWanted: (plural: string) => boolean = () => true): void {
    for (const [, kind] of WATCHED) if (isWanted(kind.plural)) this.#seen.set(kind.plural, this.#hub.snapshot(kind));
  }

  seen(kind: Kind): ReadonlyMap<string, KubeObject> {
    return this.#seen.get(kind.plural) ?? new Map<string, KubeObject>();
  }

  view(): CacheView {
    return new MemoryView(WATCHED.map(([resource, kind]) => [resource, this.#seen.get(kind.plural)?.values() ?? []] as const));
  }
}

/** One manager. It leads whenever a test runs one of its passes, so two managers model a split brain. */
class Manager {
  readonly caches: Caches;
  readonly controller: Controller<FleetState, FleetMemory, FleetEffects>;
  /** The value that the last pass stored for the next one. */
  remembered: FleetMemory | undefined;
  readonly #acceptedAt = new Map<string, number>();

  /** Measurements that this process has requested, with their answers. */
  measured: readonly EntryMeasurement[] = [];

  /** Predictions that this process has requested, with their answers. */
  #predicted: readonly ComputedEnd[] = [];
  readonly #forecast: Forecast<FleetState> | undefined;

  constructor(hub: MemoryHub, forecast: Forecast<FleetState> | undefined) {
    this.caches = new Caches(hub);
    this.#forecast = forecast;
    const measurements = {
      of: () => ({
        taken: this.measured,
        isRequested: (request: MeasurementRequest) => this.measured.some((one) => isAnswer(one, request)),
      }),
      measure: async () => undefined,
    };
    this.controller = fleetController({
      contentNamespace: 'hub',
      otherConfigs: { get: () => 'Unread' },
      measurements,
      predictions: this.#predictions(),
    });
  }

  #predictions(): Parameters<typeof fleetController>[0]['predictions'] {
    if (!this.#forecast) return undefined;
    const isKnown = (request: PredictionRequest): boolean =>
      this.#predicted.some(({ entry, startedAt }) => entry === request.entry && startedAt === request.startedAt);
    return { of: () => ({ predicted: this.#predicted, isRequested: isKnown }), predict: async () => undefined };
  }

  /** Computes the predictions at once; the next pass observes them. */
  predict(due: PredictionsDue<FleetState>, computedAt: number): void {
    const steps = this.#forecast?.(due);
    for (let step = steps?.next(); step; step = steps?.next()) {
      if (step.done !== true) continue;
      this.#predicted = step.value.map((end) => ({ ...end, computedAt }));
      return;
    }
  }

  get memory(): KeyMemory<FleetMemory> {
    return {
      remembered: this.remembered,
      refusal: () => undefined,
      hasSucceeded: () => false,
      acceptedAt: (id) => this.#acceptedAt.get(id),
    };
  }

  accepted(id: string, at: number): void {
    this.#acceptedAt.set(id, at);
  }
}

/** All actors in a fleet's history: a hub, its managers, and substitutes for the add-on pass, the agents and users. */
export class World {
  readonly hub: MemoryHub;
  /** The state that the last fleet pass observed, with which the checks judge the writes of the pass. */
  lastSeen: FleetState | undefined;
  /** The process that ran the last fleet pass. A restart creates a new process. */
  lastProcess: object | undefined;
  /** The requeue time that the last pass requested. */
  recheckMs: number | undefined;
  /** The metrics provider. It answers queries at once. */
  provider: (request: MeasurementRequest, at: number | undefined) => ProviderAnswer = () => ({ problem: 'away' });
  /** Predicts the ends of rollouts; by default nothing is predicted. Set this field before `start` is called. */
  forecast: Forecast<FleetState> | undefined;
  /** The notifications and counts that passes have requested. */
  readonly notified: AddressedNotification[] = [];
  readonly counted: RolloutCounts[] = [];
  #managers: Manager[];
  #wall = 1_767_225_600_000;
  #monotonic = 0;
  readonly #addOnCaches: Caches;

  constructor() {
    this.hub = new MemoryHub(() => toTime(this.#wall));
    this.#addOnCaches = new Caches(this.hub);
    this.#managers = [];
  }

  start(): void {
    this.#managers = [new Manager(this.hub, this.forecast), new Manager(this.hub, this.forecast)];
  }

  get wall(): number {
    return this.#wall;
  }

  get monotonic(): number {
    return this.#monotonic;
  }

  tick(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
  }

  /** Steps the wall clock only; the monotonic clock does not change. */
  stepClock(ms: number): void {
    this.#wall += ms;
  }

  crash(manager: number): void {
    this.#managers[manager] = new Manager(this.hub, this.forecast);
  }

  /**
   * Runs one fleet pass and returns its writes. `isFresh` selects the caches to update first. The manager crashes after `survives` writes.
   */
  pass(manager: number, isFresh: (plural: string) => boolean = () => true, survives: number = Number.POSITIVE_INFINITY): readonly Action[] {
    const process = this.#managers[manager] as Manager;
    process.caches.catchUp(isFresh);
    const state = process.controller.observe(process.caches.view(), { name: ADD_ON }, process.memory);
    this.lastSeen = state;
    this.lastProcess = process;
    if (!state) return [];
    const decision = process.controller.decide(state, nowAt(this.#wall, this.#monotonic));
    process.remembered = decision.remember ?? process.remembered;
    this.recheckMs = decision.requeueAfterMs;
    const done = this.#carryOut(process, decision.stages, survives);
    if (done.length >= survives) this.crash(manager);
    // Read your own writes.
    const written = new Set(done.flatMap((action) => (action.type === 'effect' ? [] : [action.kind.plural])));
    this.#managers[manager]?.caches.catchUp((plural) => written.has(plural));
    return done;
  }

  #carryOut(process: Manager, stages: readonly (readonly Action<FleetEffects>[])[], survives: number): readonly Action[] {
    const done: Action[] = [];
    for (const stage of stages) {
      let hasFailed = false;
      for (const action of stage) {
        if (done.length >= survives) return done;
        try {
          if (action.type === 'effect') this.#carryOutEffect(process, action);
          else this.hub.execute(action);
          process.accepted(action.id, this.#monotonic);
          done.push(action);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          hasFailed = true;
        }
      }
      if (hasFailed) return done;
    }
    return done;
  }

  #carryOutEffect(process: Manager, action: EffectAction<FleetEffects>): void {
    if (action.effect === 'measure') {
      process.measured = action.input.requests.map((request) => {
        const { provider: _, query: __, ...one } = request;
        const known = process.measured.find((answer) => isAnswer(answer, request));
        const times = [...new Set(Object.values(request.comparedAt))];
        const before = times.map((at) => ({ at, answer: this.provider(request, at) }));
        return known ?? { ...one, at: this.#wall, now: this.provider(request, undefined), before };
      });
    } else if (action.effect === 'predict') process.predict(action.input, this.#monotonic);
    else if (action.effect === 'notify') this.notified.push(...action.input);
    else if (action.effect === 'count') this.counted.push(action.input);
    else if (action.effect === 'record-is-current') requireCurrent(action.input, this.hub.get(addOnRollouts, { name: ADD_ON }));
    else requireExisting(action.input, this.hub.get(clusterManagementAddOns, { name: ADD_ON }));
  }

  /** Runs one cluster's add-on pass and returns whether it wrote anything. `isFresh` selects the caches to update first. */
  addOnPass(cluster: string, isFresh: (plural: string) => boolean = () => true): boolean {
    this.#addOnCaches.catchUp(isFresh);
    if (!this.addOn(cluster)) return false;
    const writes = writesOfPass(this.#addOnCaches.view(), cluster, toTime(this.#wall));
    if (!writes) return false;
    const before = this.hub.revision;
    try {
      // Like the production pass, write the annotation first, then the status, each only if the object has not changed since it was read.
      if (writes.revision !== undefined) this.hub.execute(annotate(writes.clusterAddOn, writes.revision));
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
    const seen = this.addOn(cluster);
    const isUnchanged = this.hub.revision !== before || seen?.metadata.resourceVersion === writes.clusterAddOn.resourceVersion;
    if (seen && isUnchanged && writes.status) this.hub.putStatus(managedClusterAddOns, seen, writes.status);
    return this.hub.revision !== before;
  }

  addOn(cluster: string): ManagedClusterAddOn | undefined {
    return this.hub.get(managedClusterAddOns, { namespace: cluster, name: ADD_ON });
  }

  /** The rollout as the caches of the add-on controller contain it, which may be older than the stored one. */
  rolloutSeenByAddOns(): AddOnRollout | undefined {
    return this.#addOnCaches.seen(addOnRollouts).get(ADD_ON);
  }

  rollout(): AddOnRollout | undefined {
    return this.hub.get(addOnRollouts, { name: ADD_ON });
  }

  // ---- actions of users and placements --------------------------------------------------------------------------------------

  declare(spec: object): void {
    this.hub.put(clusterManagementAddOns, {
      apiVersion: ADDON_API,
      kind: 'ClusterManagementAddOn',
      metadata: { name: ADD_ON },
      spec,
    } as KubeObject);
  }

  template(version: string, image: string): void {
    const metadata = { name: `${ADD_ON}-${version}`, labels: { 'open-cluster-management.io/addon-version': version } };
    const spec = { addonName: ADD_ON, agentSpec: { workload: { manifests: [{ image }] } } };
    this.hub.put(addOnTemplates, { apiVersion: ADDON_API, kind: 'AddOnTemplate', metadata, spec } as unknown as KubeObject);
  }

  cluster(name: string, available: 'True' | 'Unknown' | 'False' = 'True', labels: Readonly<Record<string, string>> = {}): void {
    const condition = { type: 'ManagedClusterConditionAvailable', status: available, reason: 'Test', message: '' };
    this.hub.put(managedClusters, {
      apiVersion: `${CLUSTER_API}/v1`,
      kind: 'ManagedCluster',
      metadata: Object.keys(labels).length > 0 ? { name, labels } : { name },
      spec: { hubAcceptsClient: true },
      status: { conditions: [{ ...condition, lastTransitionTime: toTime(this.#wall) }] },
    } as KubeObject);
  }

  /** Makes the Placement select exactly these clusters, one decision group per list. */
  choose(placement: string, groups: readonly (readonly string[])[], announced: number = groups.flat().length): void {
    const metadata = { namespace: 'default', name: placement };
    const apiVersion = `${CLUSTER_API}/v1beta1`;
    this.hub.put(placementKind, {
      apiVersion,
      kind: 'Placement',
      metadata,
      spec: {},
      status: { numberOfSelectedClusters: announced },
    } as Placement);
    groups.forEach((names, index) => {
      const labels = {
        'cluster.open-cluster-management.io/placement': placement,
        'cluster.open-cluster-management.io/decision-group-index': String(index),
      };
      const page: PlacementDecision = {
        apiVersion,
        kind: 'PlacementDecision',
        metadata: { namespace: 'default', name: `${placement}-decision-${index}`, labels },
        status: { decisions: names.map((clusterName) => ({ clusterName, reason: '' })) },
      };
      this.hub.put(placementDecisions, page);
    });
  }

  ask(change: object): void {
    const rollout = this.rollout();
    if (rollout) this.hub.put(addOnRollouts, { ...rollout, spec: { ...rollout.spec, ...change } } as KubeObject);
  }

  /** Changes fields of an add-on's spec as a user; `undefined` removes a field. */
  edit(cluster: string, change: Readonly<Record<string, unknown>>): void {
    const clusterAddOn = this.addOn(cluster);
    if (!clusterAddOn) return;
    const spec = Object.fromEntries(Object.entries({ ...clusterAddOn.spec, ...change }).filter(([, value]) => value !== undefined));
    // The invariant checks read this annotation, because an override may later equal the fleet's value and then cannot be recognized as an
    // override.
    const annotations = { ...clusterAddOn.metadata.annotations, 'test/was-own': 'true' };
    this.hub.put(managedClusterAddOns, { ...clusterAddOn, metadata: { ...clusterAddOn.metadata, annotations }, spec } as KubeObject);
  }

  /** Writes a report on behalf of the cluster's agent. */
  report(cluster: string, outcome: 'arrived' | 'failed' | 'unhealthy'): void {
    const clusterAddOn = this.addOn(cluster);
    if (!clusterAddOn?.status?.configReferences) return;
    const status = reported(clusterAddOn, outcome, toTime(this.#wall));
    if (status) this.hub.putStatus(managedClusterAddOns, clusterAddOn, status);
  }
}

function isAnswer(one: EntryMeasurement, request: MeasurementRequest): boolean {
  return one.entry === request.entry && one.gate === request.gate && one.group === request.group && one.look === request.look;
}

function reported(clusterAddOn: ManagedClusterAddOn, outcome: 'arrived' | 'failed' | 'unhealthy', time: string): object | undefined {
  const { status = {} } = clusterAddOn;
  const condition = (type: string, value: string, reason: string): object => {
    const old = status.conditions?.find((candidate) => candidate.type === type);
    const isSame = old?.status === value && old.reason === reason;
    return { type, status: value, reason, message: '', lastTransitionTime: isSame ? old.lastTransitionTime : time };
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Progressing' && type !== 'Available');
  const available = (status.conditions ?? []).filter(({ type }) => type === 'Available');
  switch (outcome) {
    case 'arrived':
      return {
        ...status,
        currentVersion: status.installVersion ?? '',
        configReferences: (status.configReferences ?? []).map((ref) => ({ ...ref, lastAppliedConfig: ref.desiredConfig })),
        conditions: [...others, condition('Progressing', 'False', 'Succeed'), condition('Available', 'True', 'ProbeAvailable')],
      };
    case 'failed':
      if (status.conditions?.some(({ type, reason }) => type === 'Progressing' && reason === 'Succeed')) return undefined;
      return { ...status, conditions: [...others, ...available, condition('Progressing', 'False', 'Failed')] };
    case 'unhealthy': {
      const progressing = (status.conditions ?? []).filter(({ type }) => type === 'Progressing');
      return { ...status, conditions: [...others, ...progressing, condition('Available', 'False', 'ProbeUnavailable')] };
    }
  }
}
