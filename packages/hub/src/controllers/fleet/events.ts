import { type FleetEventReason, type RolloutEntry, TARGETS_RESOLVED_MESSAGES, clusterManagementAddOns } from '@outrigger/api';
import type { EventIntent } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { TargetHistory } from '@outrigger/rules/revisions';
import type { Removal } from './removal.js';
import type { FleetState } from './state.js';

/** Events on the declaration for the milestones between the stored record and the next one. */
export function milestones(
  state: FleetState,
  entries: readonly RolloutEntry[],
  history: TargetHistory,
  { pending }: Pick<Removal, 'pending'>,
): readonly EventIntent[] {
  const before = new Map((state.rollout?.status.entries ?? []).map((entry) => [entry.name, entry]));
  const reported = state.rollout?.status.pendingRemoval;
  const events = entries.flatMap((entry) => entryMilestones(state, entry, before.get(entry.name), history));
  if (!pending || reported?.count === pending.count) return events;
  const message = `${TARGETS_RESOLVED_MESSAGES.removalNeedsConfirmation(pending.count, pending.of)}; to agree, set spec.confirmRemoval of AddOnRollout ${state.declaration.key.name} to ${pending.count}`;
  return [...events, event(state, 'Warning', 'RemovalNeedsConfirmation', message)];
}

function entryMilestones(
  state: FleetState,
  entry: RolloutEntry,
  before: RolloutEntry | undefined,
  history: TargetHistory,
): readonly EventIntent[] {
  const target = history.find(entry.targetRevision);
  const { selected = 0 } = entry;
  if (!target || selected === 0) return [];
  const what = target.version ? `version ${target.version} (revision ${target.revision})` : `revision ${target.revision}`;
  const isNew = before?.targetRevision !== entry.targetRevision || (before?.selected ?? 0) === 0;
  const events: EventIntent[] = [];
  if (isNew) events.push(event(state, 'Normal', 'RolloutStarted', `${entry.name}: ${what} to ${selected} clusters`));
  if (entry.state === 'Halted' && before?.state !== 'Halted') {
    events.push(event(state, 'Warning', 'RolloutHalted', `${entry.name}: ${what}: ${entry.message ?? ''}`));
  }
  if (entry.completedRevision === entry.targetRevision && (isNew || before?.completedRevision !== entry.targetRevision)) {
    events.push(event(state, 'Normal', 'RolloutCompleted', `${entry.name}: ${what} on ${entry.done ?? 0} of ${selected} clusters`));
  }
  return events;
}

function event({ declaration }: FleetState, type: EventIntent['type'], reason: FleetEventReason, message: string): EventIntent {
  const regarding = { kind: clusterManagementAddOns, key: declaration.key, uid: declaration.uid };
  return { api: HUB, regarding, type, reason, message };
}
