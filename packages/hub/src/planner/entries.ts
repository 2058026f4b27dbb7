import type { RolloutEntry, RolloutTarget } from '@outrigger/api';
import type { Now } from '@outrigger/kube';
import { TargetHistory } from '@outrigger/rules/revisions';
import {
  type EntryTargets,
  entryTargets,
  isWayBack,
  pinOf,
  readTargets,
  rollBackRule,
  type StepInput,
  stepInput,
  Stopwatch,
  wayBack,
} from '@outrigger/rules/rollout';
import { type EntryMembers, type Fleet, membersOf } from '@outrigger/rules/strategy';
import { Grants } from '../controllers/fleet/grants.js';
import type { FleetState } from '../controllers/fleet/state.js';
import { type RunStart, runStart } from './entry-run.js';
import { type GatedEntry, RunGates } from './run-gates.js';

/** An entry of the strategy, with the initial state of its rollout. */
export interface PlannedEntry {
  readonly members: EntryMembers;
  readonly before: RolloutEntry | undefined;
  readonly targets: EntryTargets;
  /** Undefined if the entry has no target; `targets.problem` gives the reason. */
  readonly rollout: PlannedRollout | undefined;
}

export interface PlannedRollout {
  readonly target: RolloutTarget;
  readonly start: RunStart;
  /** Creates the gates of one run; undefined if no policy governs the add-on. */
  readonly gates: () => RunGates | undefined;
}

export interface PlannedFleet {
  readonly fleet: Fleet;
  readonly history: TargetHistory;
  readonly grants: Grants;
  readonly entries: readonly PlannedEntry[];
}

/** Reads the fleet state as the fleet controller does at the start of a pass. */
export function planEntries(state: FleetState, now: Now): PlannedFleet {
  const fleet = membersOf(state);
  const history = new TargetHistory(state.rollout?.status.history ?? []);
  const grants = new Grants(state, history);
  const context = { cluster: state.cluster, history, grants, stopwatch: new Stopwatch(undefined, now), now };
  const entries = fleet.entries
    .filter(({ observation, count }, _, all) => observation.entry.source !== undefined || count > 0 || all.length === 1)
    .map((members): PlannedEntry => {
      const { entry } = members.observation;
      const before = state.rollout?.status.entries?.find(({ name }) => name === entry.name);
      const targets = entryTargets(state, entry, history, before, now.time);
      const { target } = targets;
      if (!target) return { members, before, targets, rollout: undefined };
      const reading = readTargets(entry, target, targets);
      const isPaused = state.rollout?.spec.paused === true || state.isFleetPaused === true || targets.problem !== undefined;
      const isPinned = pinOf(state.rollout?.spec, entry.name) !== undefined;
      const isBack = before !== undefined && isWayBack(before, target.revision, isPinned);
      const isGated = state.policies.length > 0 || (before?.waitingFor ?? []).length > 0;
      const observed = stepInput(context, members, { reading, before, isPaused, ...(isGated ? { gates: UNASKED } : {}) });
      const { gates: _, ...input } = observed;
      const start = runStart(isGated ? { ...input, gates: UNASKED } : input, now.wall, turnsBack(state, before, target));
      const subject: GatedEntry = {
        fleet: state,
        entry: entry.name,
        target: target.revision,
        isWayBack: isBack,
        before,
        state: start.state,
      };
      return { members, before, targets, rollout: { target, start, gates: () => (isGated ? new RunGates(subject) : undefined) } };
    });
  return { fleet, history, grants, entries };
}

/** A placeholder: the rules check only whether gates exist, and the gates of the run are evaluated instead. */
const UNASKED: NonNullable<StepInput['gates']> = () => {
  throw new Error('the gates of a plan are asked by its runs');
};

/** Whether a policy rolls back a failed rollout, and the entry has an earlier target for it. */
function turnsBack(state: FleetState, before: RolloutEntry | undefined, { revision }: RolloutTarget): boolean {
  if (!before || !rollBackRule(state.policies, state.managementAddOn.key.name)) return false;
  return before.targetRevision !== revision ? before.completedRevision !== undefined : wayBack(before) !== undefined;
}
