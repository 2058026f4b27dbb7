import { type KubeObject, toTime } from '@outrigger/core';
import type { Client, Now, Resource } from '@outrigger/kube';
import type { ConfigRef, OtherConfigs } from '@outrigger/rules/configuration';
import { refKey } from '@outrigger/rules/configuration';
import { targetRefs } from '@outrigger/rules/revisions';
import { fleetController } from '../controllers/fleet/controller.js';
import { decideRemoval, removableAddOns } from '../controllers/fleet/removal.js';
import type { FleetState } from '../controllers/fleet/state.js';
import { rollouts } from '../resources/rollouts.js';
import { differences } from './differences.js';
import { recordedDurations, type RecordedDurations } from './durations.js';
import { type PlannedEntry, type PlannedFleet, type PlannedRollout, planEntries } from './entries.js';
import { type Course, course, percentiles, type SeededRun, seededRuns } from './forecast.js';
import { type HubListing, listHub, withObjects } from './listing.js';
import { ListedView } from './listed-view.js';
import { type Obstacle, obstacle, obstacles, refusedLists, unreadContents } from './obstacles.js';
import { rightsChange } from './rights/rights.js';
import type { Certainty, EndForecast, EntryPlan, FailureForecast, Plan, RemovalPlan } from './types.js';
import { type GroupPlan, groupPlans } from './who.js';

/** Returns the objects that the change writes, or the reason why the change is not possible. */
export type PlannedChange = (hub: HubListing) => { readonly objects: readonly KubeObject[] } | { readonly problem: string };

export interface PlanRequest {
  readonly addOn: string;
  /** The change, for people. */
  readonly title: string;
  readonly change: PlannedChange;
  /** The wall time at which the rollout is assumed to start. */
  readonly from: number;
  readonly seed: number;
  /** Clusters on which the change takes effect immediately, outside the rollout, because it sets overrides on them. */
  readonly direct?: readonly string[];
  /** The share of moves that fail, or the clusters on which moves fail. */
  readonly fail?: number | ReadonlySet<string> | undefined;
  /** The share of clusters that become unreachable during their move. */
  readonly offline?: number | undefined;
}

/** The number of seeded runs of a prediction. */
export const RUNS = 200;

/** Kinds without which no plan is possible. If the user may not list one of them, the plan contains only obstacles. */
const ESSENTIAL: readonly string[] = [
  'clustermanagementaddons',
  'managedclusteraddons',
  'managedclusters',
  'placements',
  'placementdecisions',
  'addontemplates',
  'addonrollouts',
];

/**
 * The kind of stored content. If the user may not read it, the plan cannot show differences from the content of changed or deleted objects.
 */
const STORED_CONTENT = 'controllerrevisions';

/** Lists the hub once and plans the change. */
export async function planChange(client: Client, request: PlanRequest): Promise<Plan> {
  const hub = await listHub(client, planResources());
  return planListed(client, hub, request);
}

/** The resources that the fleet controller reads. */
export function planResources(): readonly Resource[] {
  const { watches, reads = [] } = controllerFor({ get: () => 'Unread' });
  return [...watches.map(({ resource }) => resource), ...reads];
}

/** Plans the change on objects that were listed before. Uses the client only to read the roles that templates name. */
export async function planListed(client: Client, hub: HubListing, request: PlanRequest): Promise<Plan> {
  const refused = refusedLists(hub.unreadable.filter((kind) => kind !== STORED_CONTENT));
  const isBlind = hub.unreadable.some((kind) => ESSENTIAL.includes(kind));
  if (isBlind) return emptyPlan(request, refused);
  const change = request.change(hub);
  if ('problem' in change) return emptyPlan(request, [...refused, obstacle(change.problem)]);
  const now: Now = { wall: request.from, time: toTime(request.from), monotonic: 0 };
  const before = stateOf(hub, request.addOn);
  const after = stateOf(withObjects(hub, change.objects), request.addOn);
  if (!after) return emptyPlan(request, [...refused, obstacle(`there is no ClusterManagementAddOn ${request.addOn}`)]);
  const planned = planEntries(after.state, now);
  const groups = new Map(planned.entries.map((entry) => [entry, groupPlans(after.state, entry)] as const));
  const durations = recordedDurations(after.state.rollout?.status.entries ?? []);
  const courses = planned.entries.flatMap((entry) => (entry.rollout ? [[entry, course(entry.rollout, durations)] as const] : []));
  const runnable = courses.filter(([, { result }]) => isEnding(result.outcome)).map(([{ rollout }]) => rollout as PlannedRollout);
  const times = runnable.length === 0 ? [] : seededRuns(runnable, durations, { ...assumptions(request), fail: undefined });
  const rendered = differences({ before: before?.state, after: after.state, planned, groups, direct: new Set(request.direct) });
  const rights = await rightsChange(client, request.addOn, rendered, change.objects);
  const found = obstacles({
    ...after,
    planned,
    differences: rendered,
    rights,
    courses: courses.map(([entry, one]) => [nameOf(entry), one] as const),
  });
  return {
    addOn: request.addOn,
    change: request.title,
    from: now.time,
    entries: planned.entries.map((entry) =>
      entryPlan(entry, groups.get(entry) ?? [], courses.find(([one]) => one === entry)?.[1], {
        before: before?.state,
        times,
        index: runnable.indexOf(entry.rollout as PlannedRollout),
      }),
    ),
    removals: removalPlan(after.state, planned, now),
    differences: rendered.map(({ rendered: _, ...difference }) => difference),
    rights: { gained: rights.gained, lost: rights.lost, unknown: rights.unknown },
    durations: durationsUsed(durations),
    end: runnable.length < courses.length ? undefined : endForecast(times.map(({ endedAt }) => endedAt)),
    failure: failureForecast(request, admitting(courses), durations, planned),
    inTheWay: [...refused, ...found, ...(hub.unreadable.includes(STORED_CONTENT) ? unreadContents(rendered) : [])],
    notKnown: NOT_KNOWN,
  };
}

const NOT_KNOWN: readonly string[] = [
  'capacity, webhooks and rights on the clusters',
  'changes that people, GitOps tools or Placements make in the meantime',
];

function isEnding(outcome: Course['result']['outcome']): boolean {
  return outcome === 'Completed' || outcome === 'Unfinished';
}

/**
 * The rollouts that may admit clusters, including those that a gate holds after some admissions, because the clusters that are admitted
 * before the gate can fail.
 */
function admitting(courses: readonly (readonly [PlannedEntry, Course])[]): readonly PlannedRollout[] {
  return courses.flatMap(([{ rollout }, { result, waves }]) =>
    rollout && (isEnding(result.outcome) || (result.outcome === 'Held' && waves.length > 0)) ? [rollout] : [],
  );
}

function nameOf({ members }: PlannedEntry): string {
  return members.observation.entry.name;
}

function assumptions({ seed, fail, offline = 0 }: PlanRequest): Parameters<typeof seededRuns>[2] {
  return { runs: RUNS, seed, fail, offline };
}

function controllerFor(otherConfigs: OtherConfigs): ReturnType<typeof fleetController> {
  return fleetController({ contentNamespace: 'planned', otherConfigs });
}

interface ObservedFleet {
  readonly state: FleetState;
  readonly view: ListedView;
}

/** The state that the fleet controller would observe. */
export function stateOf(hub: HubListing, addOn: string): ObservedFleet | undefined {
  const view = new ListedView();
  for (const [resource, objects] of hub.objects) view.add(resource, objects);
  const controller = controllerFor({ get: (ref) => recordedConfig(view, addOn, ref) });
  const state = controller.observe(view, { name: addOn }, NO_MEMORY);
  return state && { state, view };
}

/** Configs of kinds other than our own are assumed to have the content that the latest revision names. */
function recordedConfig(view: ListedView, addOn: string, ref: ConfigRef): ReturnType<OtherConfigs['get']> {
  const history = view.get(rollouts, { name: addOn })?.status.history ?? [];
  for (const target of history) {
    const found = targetRefs(target).find((one) => refKey(one) === refKey(ref));
    if (found && found.specHash !== '') return { specHash: found.specHash, generation: 1 };
  }
  return 'NotFound';
}

const NO_MEMORY = { remembered: undefined, refusal: () => undefined, hasSucceeded: () => false, acceptedAt: () => undefined };

interface EntryContext {
  readonly before: FleetState | undefined;
  readonly times: readonly SeededRun[];
  /** The position of the entry in the seeded runs; negative if the entry is not part of the runs. */
  readonly index: number;
}

function entryPlan(
  planned: PlannedEntry,
  groups: readonly GroupPlan[],
  found: Course | undefined,
  { before, times, index }: EntryContext,
): EntryPlan {
  const target = planned.rollout?.target;
  const known = before?.rollout?.status.history ?? [];
  const groupName = (at: number): string => displayName(groups[at]);
  return {
    name: nameOf(planned),
    target: target && {
      revision: target.revision,
      version: target.version ?? '',
      isNew: !known.some(({ revision }) => revision === target.revision),
    },
    groups: groups.map(({ index: _, ...group }, at) => ({ ...group, name: groupName(at), certainty: 'known' })),
    waves: (found?.waves ?? []).map(({ group, startAt, endAt, clusters, after }) => ({
      group: groupName(group),
      startAt: toTime(startAt),
      endAt: toTime(endAt),
      clusters,
      ...(after ? { after: { gate: after.gate, seconds: Math.round((startAt - after.at) / 1000) } } : {}),
      certainty: 'assumed',
    })),
    gates: (found?.gates ?? []).map(({ kind, name, group, at, opensAt, clusters, message }) => ({
      kind,
      name,
      ...(group === undefined ? {} : { group }),
      at: toTime(at),
      ...(opensAt === undefined ? {} : { opensAt: toTime(opensAt) }),
      clusters,
      ...(message === undefined ? {} : { message }),
      certainty: gateCertainty(kind, at, opensAt),
    })),
    outcome: found?.result.outcome,
    end: index < 0 ? undefined : endForecast(times.map(({ results }) => results[index]?.endedAt ?? 0)),
  };
}

/**
 * Returns the certainty of the times of a gate. The plan assumes that approvals are given at once, but users may take any time, so the
 * opening of such a gate is unknown. The times of an analysis are assumed, and the times of a window are known.
 */
function gateCertainty(kind: string, at: number, opensAt: number | undefined): Certainty {
  if (kind === 'Approval') return opensAt === at ? 'unknown' : 'assumed';
  return kind === 'Analysis' ? 'assumed' : 'known';
}

function displayName(group: GroupPlan | undefined): string {
  return group === undefined ? '' : group.name === '' ? String(group.index) : group.name;
}

function endForecast(ends: readonly number[]): EndForecast | undefined {
  if (ends.length === 0) return undefined;
  const { p50, p90 } = percentiles(ends);
  return { p50: toTime(p50), p90: toTime(p90), runs: ends.length, certainty: 'assumed' };
}

function durationsUsed({ source, clusters, censored, p50, p90 }: RecordedDurations): Plan['durations'] {
  return { source, n: clusters, censored, p50: Math.round(p50), p90: Math.round(p90), certainty: 'assumed' };
}

function removalPlan(state: FleetState, { fleet }: PlannedFleet, now: Now): RemovalPlan | undefined {
  const { departures, pending } = decideRemoval(state, fleet, now);
  if (departures.size === 0) return undefined;
  return {
    clusters: [...departures.keys()].sort(),
    needsConfirmation: pending !== undefined,
    of: removableAddOns(state).length,
    certainty: 'known',
  };
}

/** Predicts the result of runs with failures. Each run draws independently which moves fail. */
function failureForecast(
  request: PlanRequest,
  rollouts: readonly PlannedRollout[],
  durations: RecordedDurations,
  { entries }: PlannedFleet,
): FailureForecast | undefined {
  const { fail, from } = request;
  if (fail === undefined || rollouts.length === 0) return undefined;
  const runs = seededRuns(rollouts, durations, assumptions(request));
  const touched = percentiles(runs.map(({ results }) => results.reduce((sum, result) => sum + result.touched, 0)));
  const stopped = runs.flatMap(({ results }) =>
    results.flatMap((result, i) => (result.outcome === 'Halted' || result.outcome === 'TurnedBack' ? [{ result, i }] : [])),
  );
  const places = stopped.map(({ result, i }) => {
    const entry = entries.find(({ rollout }) => rollout === rollouts[i]);
    const group = entry?.members.groups[result.lastGroup ?? 0];
    return entry ? `${nameOf(entry)}${group ? ` ${group.name === '' ? group.index : group.name}` : ''}` : '';
  });
  const share = (outcome: string): number => runs.filter(({ results }) => results.some((one) => one.outcome === outcome)).length;
  return {
    assumption:
      typeof fail === 'number' ? `${Math.round(fail * 1000) / 10} % of the moves fail` : `the moves on ${[...fail].join(', ')} fail`,
    runs: runs.length,
    halted: share('Halted'),
    turnedBack: share('TurnedBack'),
    touched: { p50: touched.p50, p99: touched.p99, max: touched.max },
    stopsIn: mostFrequent(places),
    stopsAfter:
      stopped.length === 0 ? undefined : Math.round((percentiles(stopped.map(({ result }) => result.haltedAt ?? from)).p50 - from) / 1000),
    certainty: 'assumed',
  };
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0];
}

function emptyPlan({ addOn, title, from }: PlanRequest, inTheWay: readonly Obstacle[]): Plan {
  return {
    addOn,
    change: title,
    from: toTime(from),
    entries: [],
    removals: undefined,
    differences: [],
    rights: { gained: [], lost: [], unknown: [] },
    durations: durationsUsed(recordedDurations([])),
    end: undefined,
    failure: undefined,
    inTheWay,
    notKnown: NOT_KNOWN,
  };
}
