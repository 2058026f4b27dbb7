import {
  type FleetEventReason,
  type RolloutEntry,
  type RolloutTarget,
  type RolloutWait,
  TARGETS_RESOLVED_MESSAGES,
  type TargetChange,
  clusterManagementAddOns,
} from '@outrigger/api';
import { countText } from '@outrigger/core';
import type { EventIntent } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { isRemovalWait } from '@outrigger/rules/policy';
import type { TargetHistory } from '@outrigger/rules/revisions';
import { isNewlyHalted } from '@outrigger/rules/rollout';
import type { Removal } from './removal.js';
import type { FleetState } from './state.js';

/** Events about the declaration for the milestones that the next record reaches. */
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
  const message = `${TARGETS_RESOLVED_MESSAGES.removalNeedsConfirmation(pending.count, pending.of)}; to agree, set spec.confirmRemoval of AddOnRollout ${state.managementAddOn.key.name} to ${pending.count}`;
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
  if (!target || selected === 0) return waitMilestones(state, onlyRemovals(entry), before && onlyRemovals(before));
  const what = targetText(target);
  const isNew = before?.targetRevision !== entry.targetRevision || (before?.selected ?? 0) === 0;
  const completed = newlyCompleted(entry, before).map((change) => ({
    isCurrent: change === entry.timeline?.[0],
    intent: event(state, 'Normal', 'RolloutCompleted', completedText(entry.name, change, history)),
  }));
  // If the previous target completed immediately before the current one was set, report its completion before the start of the current
  // target.
  const events = completed.filter(({ isCurrent }) => !isCurrent).map(({ intent }) => intent);
  if (isNew) events.push(event(state, 'Normal', 'RolloutStarted', `${entry.name}: ${what} to ${countText(selected, 'cluster')}`));
  if (isNewlyHalted(entry, before)) {
    events.push(event(state, 'Warning', 'RolloutHalted', `${entry.name}: ${what}: ${entry.message ?? ''}`));
  }
  const { rolledBack } = entry;
  if (rolledBack && before?.rolledBack?.at !== rolledBack.at) {
    const from = history.find(rolledBack.from);
    const left = from ? targetText(from) : `revision ${rolledBack.from}`;
    events.push(event(state, 'Warning', 'RolloutRolledBack', `${entry.name}: from ${left} to ${what}: ${rolledBack.reason}`));
  }
  events.push(...waitMilestones(state, entry, before));
  return [...events, ...completed.filter(({ isCurrent }) => isCurrent).map(({ intent }) => intent)];
}

/** Returns Events for gates that hold clusters in the next record but not in the stored one, and for gates that no longer hold clusters. */
function waitMilestones(
  state: FleetState,
  { name, waitingFor: waits = [] }: RolloutEntry,
  before: RolloutEntry | undefined,
): readonly EventIntent[] {
  const known = before?.waitingFor ?? [];
  const begun = waits.filter((wait) => !known.some((one) => isSameWait(one, wait)));
  const ended = known.filter((wait) => !waits.some((one) => isSameWait(one, wait)));
  return [
    ...begun.map((wait) =>
      event(state, 'Normal', 'RolloutWaiting', `${name}: ${waitText(wait)}${wait.message === undefined ? '' : `: ${wait.message}`}`),
    ),
    ...ended.map((wait) => event(state, 'Normal', 'RolloutGateOpened', `${name}: ${waitText(wait)} no longer holds clusters`)),
  ];
}

/** Returns the entry with only those of its gates that hold removals, because no other gate can hold an entry without clusters. */
function onlyRemovals(entry: RolloutEntry): RolloutEntry {
  return { ...entry, waitingFor: (entry.waitingFor ?? []).filter(isRemovalWait) };
}

function isSameWait(a: RolloutWait, b: RolloutWait): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.group === b.group &&
    a.operation === b.operation &&
    (a.loosened ?? false) === (b.loosened ?? false)
  );
}

function waitText({ kind, name, group, operation }: RolloutWait): string {
  const what = operation === 'Remove' ? ' for removals' : '';
  return `${kind} ${name}${group === undefined ? '' : ` of group ${group}`}${what}`;
}

/** The timeline changes that are completed in the next record but not in the stored one. */
function newlyCompleted({ timeline = [] }: RolloutEntry, before: RolloutEntry | undefined): readonly TargetChange[] {
  const isKnown = ({ at, to }: TargetChange): boolean =>
    before === undefined || before.timeline === undefined
      ? before?.targetRevision === to && before.completedRevision === to
      : before.timeline.some((known) => known.at === at && known.to === to && known.outcome === 'Completed');
  return timeline.filter((change) => change.outcome === 'Completed' && !isKnown(change)).reverse();
}

function completedText(entry: string, { to, done = 0, selected = 0 }: TargetChange, history: TargetHistory): string {
  const target = history.find(to);
  return `${entry}: ${target ? targetText(target) : `revision ${to}`} on ${done} of ${selected} clusters`;
}

function targetText({ version, revision }: RolloutTarget): string {
  return version ? `version ${version} (revision ${revision})` : `revision ${revision}`;
}

function event({ managementAddOn }: FleetState, type: EventIntent['type'], reason: FleetEventReason, message: string): EventIntent {
  const regarding = { kind: clusterManagementAddOns, key: managementAddOn.key, uid: managementAddOn.uid };
  return { api: HUB, regarding, type, reason, message, isMilestone: true };
}
