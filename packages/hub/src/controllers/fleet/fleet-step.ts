import type { RolloutEntry } from '@outrigger/api';
import type { Now } from '@outrigger/kube';
import { isRemovalWait } from '@outrigger/rules/policy';
import { TargetHistory } from '@outrigger/rules/revisions';
import { rollBackRule, standingRejections, type stepEntry, Stopwatch } from '@outrigger/rules/rollout';
import { type EntryMembers, type Fleet, membersOf } from '@outrigger/rules/strategy';
import { entryGates } from './gates.js';
import { AssignedContent } from './assigned-content.js';
import type { FleetState } from './state.js';

/** The inputs for one step of every entry of an add-on. */
export interface FleetStep {
  readonly fleet: Fleet;
  readonly context: Parameters<typeof stepEntry>[0] & { readonly assigned: AssignedContent };
  /** The entries to record. */
  readonly rolledOut: readonly EntryMembers[];
}

/** Prepares the steps of all entries. The manager and the planner both start here. */
export function fleetStep(state: FleetState, now: Now): FleetStep {
  const fleet = membersOf(state);
  const history = targetHistory(state);
  const context = {
    state,
    cluster: state.cluster,
    isFleetPaused: state.isFleetPaused === true,
    history,
    assigned: new AssignedContent(state, history),
    stopwatch: new Stopwatch(state.memory.timings, now),
    gates: (entry: string, before: RolloutEntry | undefined, target: number, isWayBack: boolean) =>
      entryGates(state, now.wall, entry, before, { target, isWayBack }),
    rejections: rejectionsOf(state),
    rollBack: rollBackRule(state.policies, state.managementAddOn.key.name),
    isGoverned: state.policies.length > 0,
    now,
  };
  return { fleet, context, rolledOut: fleet.entries.filter(isRolledOut) };
}

/**
 * Whether to record the entry. If there are other entries, an empty default entry is not recorded, because otherwise every rollout would
 * show it.
 */
function isRolledOut({ observation, count }: EntryMembers, _position: number, all: readonly EntryMembers[]): boolean {
  return observation.entry.source !== undefined || count > 0 || all.length === 1;
}

export function recordedEntry({ rollout }: FleetState, { observation }: EntryMembers): RolloutEntry | undefined {
  const entry = rollout?.status.entries?.find(({ name }) => name === observation.entry.name);
  return entry && withoutRemovalWaits(entry);
}

/** Removes the waits for removals, because the step of an entry does not compute them. */
export function withoutRemovalWaits(entry: RolloutEntry): RolloutEntry {
  if (!entry.waitingFor?.some(isRemovalWait)) return entry;
  const { waitingFor, ...rest } = entry;
  const others = waitingFor.filter((wait) => !isRemovalWait(wait));
  return others.length === 0 ? rest : { ...rest, waitingFor: others };
}

/**
 * Returns the history of targets. If the record was lost, new revisions get numbers above those in annotations, because the numbers in
 * annotations may belong to other content.
 */
function targetHistory({ rollout, addOns }: FleetState): TargetHistory {
  const known = rollout?.status.history ?? [];
  if (known.length > 0) return new TargetHistory(known);
  return new TargetHistory(
    known,
    addOns.reduce((highest, { revision = 0 }) => Math.max(highest, revision), 0),
  );
}

/** The content that failed in any entry of the add-on, without rejections that a fleet admin has lifted. */
function rejectionsOf({ managementAddOn, rollout, decisions, decisionsEnforcedSince }: FleetState): ReturnType<typeof standingRejections> {
  const counted = decisionsEnforcedSince === undefined ? undefined : decisions;
  const createdAt = Math.max(rollout?.createdAt ?? 0, decisionsEnforcedSince ?? 0);
  return standingRejections(rollout?.status.entries ?? [], counted, { addOn: managementAddOn.key.name, createdAt });
}
