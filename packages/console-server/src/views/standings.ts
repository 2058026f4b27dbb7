import { FLEET_ROLLOUT, type AddOnRollout, type ClusterManagementAddOn, type RolloutEntry } from '@outrigger/api';
import { memoize, toTime } from '@outrigger/core';
import { type DeclarationProjection, type RolloutProjection, projectDeclaration, projectRollout } from '@outrigger/rules/observed';
import { assignedTarget, revisionIn } from '@outrigger/rules/revisions';
import {
  chooseAdmissions,
  type ObservedCluster,
  type Phase,
  placeCluster,
  placeGroup,
  readTargets,
  slotsTaken,
  type StepInput,
  stepInput,
} from '@outrigger/rules/rollout';
import { amountOf, defaultEntry, entriesOf, type EntryMembers, isGroupByGroup, membersOf, observeEntry } from '@outrigger/rules/strategy';
import { observedCluster, strategyLookups } from '../state/lookups.js';
import { observedAddOn } from '../state/projections.js';
import type { FleetState } from '../state/state.js';

const asIs = <T>(value: T): T => value;
const declarationOf: (managementAddOn: ClusterManagementAddOn) => DeclarationProjection = memoize(
  (managementAddOn: ClusterManagementAddOn) => projectDeclaration(managementAddOn, asIs),
);
const rolloutOf: (rollout: AddOnRollout) => RolloutProjection = memoize((rollout: AddOnRollout) => projectRollout(rollout, asIs));

/** One cluster of an entry, with its phase in the rollout. */
export interface MemberStanding {
  readonly cluster: string;
  readonly phase: Phase;
  /** The time at which the phase may change even if no object changes: the end of a soak, or a deadline. */
  readonly changesAt: number | undefined;
  readonly admittedAt: string | undefined;
  /** The time since which the cluster is done, in milliseconds since the epoch; 0 if the cluster is not done. */
  readonly doneAt: number;
}

export interface GroupStanding {
  /**
   * The name of the decision group. A group without a name has its index as name, as in gates and plans. Empty if the entry has a single
   * group without a name.
   */
  readonly name: string;
  readonly members: readonly MemberStanding[];
  readonly failureBudget: number | undefined;
}

export interface EntryStanding {
  readonly entry: RolloutEntry;
  readonly groups: readonly GroupStanding[];
  /** The maximum number of clusters in flight; undefined if there is no limit. */
  readonly slots: number | undefined;
  /** The number of clusters that may fail before the rollout halts; undefined if each group has its own limit, or if there is none. */
  readonly failureBudget: number | undefined;
  readonly soakMs: number;
}

/** Returns the entries of a rollout with the phase of each cluster. Applies the hub's own rules to the console's copy of the fleet. */
export function standingsOf(state: FleetState, addOn: string, now: number): readonly EntryStanding[] {
  const rollout = state.rollouts.get(addOn);
  const managementAddOn = state.declarations.get(addOn);
  if (rollout === undefined) return [];
  const projection = rolloutOf(rollout);
  const members =
    managementAddOn === undefined ? new Map<string, EntryMembers>() : membersByEntry(state, addOn, managementAddOn, projection);
  return (projection.status.entries ?? []).map((entry) => {
    const own = members.get(entry.name);
    const seen = own && entryState(state, projection, own, entry, now);
    return seen ? entryStanding(entry, seen, now) : { entry, groups: [], slots: undefined, failureBudget: undefined, soakMs: 0 };
  });
}

function membersByEntry(
  state: FleetState,
  addOn: string,
  managementAddOn: ClusterManagementAddOn,
  rollout: RolloutProjection,
): ReadonlyMap<string, EntryMembers> {
  const lookups = strategyLookups(state);
  const addOns = [...state.addOns].flatMap(([cluster, here]) => {
    const reported = here.get(addOn);
    return reported === undefined ? [] : [observedAddOn(reported, cluster, addOn)];
  });
  const { entries } = membersOf({
    managementAddOn: declarationOf(managementAddOn),
    rollout,
    addOns,
    entries: [defaultEntry, ...entriesOf(managementAddOn.spec)].map((entry) => observeEntry(lookups, entry)),
    cluster: (name) => lookups.cluster(name),
  });
  return new Map(entries.map((one) => [one.observation.entry.name, one]));
}

/** Returns the state of an entry, or undefined if the rollout's history does not contain the entry's target. */
function entryState(
  state: FleetState,
  { spec, status }: RolloutProjection,
  members: EntryMembers,
  before: RolloutEntry,
  now: number,
): StepInput | undefined {
  const find = (revision: number | undefined): ReturnType<typeof revisionIn> => revisionIn(status.history, revision);
  const target = find(before.targetRevision);
  if (target === undefined) return undefined;
  const handMade = find(before.handMadeRevision) ?? target;
  const ownConfigs = find(before.ownConfigsRevision) ?? target;
  const { entry } = members.observation;
  return stepInput(
    {
      cluster: (name) => observedCluster(state, name),
      history: { find },
      assigned: { target: (addOn, { name }) => addOn && assignedTarget(status, addOn, name) },
      // Use the times in the record, because the console does not measure durations itself.
      stopwatch: { wall: now, since: (_activity, _cluster, stored) => stored },
      now: { wall: now, time: toTime(now) },
    },
    members,
    {
      reading: readTargets(entry, target, { handMade, ownConfigs }),
      before,
      isPaused: spec.paused === true || isFleetPaused(state),
    },
  );
}

/** Whether all rollouts of the fleet are paused together. */
export function isFleetPaused(state: FleetState): boolean {
  return state.rollouts.get(FLEET_ROLLOUT)?.spec?.paused === true;
}

function entryStanding(entry: RolloutEntry, state: StepInput, now: number): EntryStanding {
  const { strategy } = state;
  const { type, maxFailures, minSuccessMs } = strategy;
  const placed = state.groups.map((group) => placeGroup(state, group, now));
  const taken = placed.reduce((sum, { counts }) => sum + slotsTaken(counts), 0);
  const size = placed.reduce((sum, { clusters }) => sum + clusters.length, 0);
  return {
    entry,
    groups: state.groups.map(({ name, index, clusters }) => ({
      name: name === '' && state.groups.length > 1 ? String(index) : name,
      members: clusters.map((seen) => memberStanding(state, seen, now)),
      failureBudget: isGroupByGroup(strategy) ? amountOf(maxFailures, clusters.length) : undefined,
    })),
    slots: type === 'All' ? undefined : taken + chooseAdmissions(state, placed, undefined).budget.room,
    failureBudget: type === 'All' || isGroupByGroup(strategy) ? undefined : amountOf(maxFailures, size),
    soakMs: minSuccessMs,
  };
}

function memberStanding(state: StepInput, seen: ObservedCluster, now: number): MemberStanding {
  const { phase, recheckAt } = placeCluster(state, seen, now);
  return {
    cluster: seen.cluster,
    phase,
    changesAt: recheckAt,
    admittedAt: (seen.admission ?? state.wildcard)?.admittedAt,
    doneAt: seen.report.isDone ? seen.doneSince : 0,
  };
}
