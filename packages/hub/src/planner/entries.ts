import type { RolloutEntry, RolloutTarget } from '@outrigger/api';
import type { Now } from '@outrigger/kube';
import type { TargetHistory } from '@outrigger/rules/revisions';
import { prepareStep, stepEntry } from '@outrigger/rules/rollout';
import type { EntryMembers, Fleet } from '@outrigger/rules/strategy';
import { fleetStep, recordedEntry } from '../controllers/fleet/fleet-step.js';
import type { AssignedContent } from '../controllers/fleet/assigned-content.js';
import type { FleetState } from '../controllers/fleet/state.js';
import { type RunStart, runStart } from './entry-run.js';
import { type GatedEntry, RunGates } from './run-gates.js';
import { turnBack } from './turn-back.js';

/** An entry of the strategy, with the state in which its rollout starts. */
export interface PlannedEntry {
  readonly members: EntryMembers;
  readonly before: RolloutEntry | undefined;
  readonly targets: ReturnType<typeof prepareStep>['targets'];
  /** The rollout of the entry; undefined if the entry has no target (`targets.problem` gives the reason). */
  readonly rollout: PlannedRollout | undefined;
}

export interface PlannedRollout {
  readonly target: RolloutTarget;
  readonly start: RunStart;
  /** Creates the gates for a run; undefined if no policy governs the add-on. */
  readonly gates: () => RunGates | undefined;
}

export interface PlannedFleet {
  readonly fleet: Fleet;
  readonly history: TargetHistory;
  readonly assigned: AssignedContent;
  readonly entries: readonly PlannedEntry[];
}

/** Prepares the first step of every entry, like the fleet controller. */
export function planEntries(state: FleetState, now: Now): PlannedFleet {
  const { fleet, context, rolledOut } = fleetStep(state, now);
  const { history, assigned, stopwatch } = context;
  const entries = rolledOut.map((members): PlannedEntry => {
    const before = recordedEntry(state, members);
    const prepared = prepareStep(context, members, before);
    const { targets, target } = prepared;
    if (!target) return { members, before, targets, rollout: undefined };
    const { input, isWayBack } = prepared;
    const first = context.rollBack && stepEntry({ ...context, stopwatch: stopwatch.fork() }, members, before);
    const start = runStart(input, now.wall, first && turnBack(context, prepared, first.entry));
    const entry = members.observation.entry.name;
    const subject: GatedEntry = { fleet: state, entry, target: target.revision, isWayBack, before, state: input };
    return { members, before, targets, rollout: { target, start, gates: () => (input.gates ? new RunGates(subject) : undefined) } };
  });
  return { fleet, history, assigned, entries };
}
