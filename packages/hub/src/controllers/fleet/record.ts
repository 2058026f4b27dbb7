import {
  type AddOnRolloutStatus,
  GATED_ROLLOUT_FORMAT_VERSION,
  ROLLOUT_FORMAT_VERSION,
  type RolloutEntry,
  addOnRollouts,
} from '@outrigger/api';
import { type JsonObject, apiVersionOf, compareText, createMergePatch } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { HUB } from '../../resources/base.js';
import { HISTORY_LENGTH, type TargetHistory } from '@outrigger/rules/revisions';
import { wayBack } from '@outrigger/rules/rollout';
import { patchObserved, patchObservedStatus } from '../observed-actions.js';
import { declarationOwner, withOwner } from './owner.js';
import type { Removal } from './removal.js';
import type { FleetState } from './state.js';

export const RECORD_ACTION = 'record';

/**
 * The revisions that entries and add-ons still name, and the last ten targets. The history of the record keeps them in addition to the ten
 * latest revisions.
 */
export function namedRevisions(entries: readonly RolloutEntry[], addOns: readonly AddOnProjection[]): ReadonlySet<number> {
  const named = new Set(lastTargets(entries));
  for (const { revision } of addOns) if (revision !== undefined) named.add(revision);
  for (const entry of entries) {
    const { targetRevision, handMadeRevision, ownConfigsRevision, completedRevision, inFlight = [], timeline = [] } = entry;
    const latest = timeline.find(({ outcome }) => outcome === 'Completed')?.to;
    for (const revision of [targetRevision, handMadeRevision, ownConfigsRevision, completedRevision, latest, wayBack(entry)]) {
      if (revision !== undefined) named.add(revision);
    }
    for (const { revision } of inFlight) named.add(revision);
  }
  return named;
}

/** The last targets of the add-on. A target can have an early revision, because content that becomes a target again keeps its revision. */
function lastTargets(entries: readonly RolloutEntry[]): readonly number[] {
  const changes = entries.flatMap(({ timeline = [] }) => timeline).sort((a, b) => compareText(b.at, a.at));
  return [...new Set(changes.map(({ to }) => to))].slice(0, HISTORY_LENGTH);
}

/** The next record. */
export function recordStatus(
  state: FleetState,
  entries: readonly RolloutEntry[],
  history: TargetHistory,
  { pending }: Pick<Removal, 'pending'>,
  revisionsImported: boolean | undefined,
): AddOnRolloutStatus {
  const sum = (field: 'selected' | 'done' | 'progressing' | 'failed' | 'skipped'): number =>
    entries.reduce((total, entry) => total + (entry[field] ?? 0), 0);
  return {
    formatVersion: isGated(state, entries) ? GATED_ROLLOUT_FORMAT_VERSION : ROLLOUT_FORMAT_VERSION,
    observedGeneration: state.rollout?.generation ?? 0,
    target: targetText(entries, history),
    selected: sum('selected'),
    done: sum('done'),
    progressing: sum('progressing'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    state: overallState(entries),
    entries,
    history: history.trim(namedRevisions(entries, state.addOns)),
    ...(revisionsImported === undefined ? {} : { revisionsImported }),
    ...(pending ? { pendingRemoval: pending } : {}),
    ...(state.policies.length > 0 ? { policies: state.policies.map(({ name }) => name).sort() } : {}),
    ...(state.rollout?.status.conditions ? { conditions: state.rollout.status.conditions } : {}),
  };
}

/** Whether a policy governs the add-on, or the record still contains waits or rejections from a policy that governed it before. */
function isGated({ policies }: FleetState, entries: readonly RolloutEntry[]): boolean {
  const isHeld = ({ waitingFor = [], inFlight = [], rejected = [], rolledBack }: RolloutEntry): boolean =>
    waitingFor.length > 0 || rejected.length > 0 || rolledBack !== undefined || inFlight.some(({ except = [] }) => except.length > 0);
  return policies.length > 0 || entries.some(isHeld);
}

/** Formats the current targets of the entries that have clusters, or of all entries if none has clusters. */
function targetText(entries: readonly RolloutEntry[], history: TargetHistory): string {
  const populated = entries.filter(({ selected = 0 }) => selected > 0);
  const revisions = new Set((populated.length > 0 ? populated : entries).map(({ targetRevision }) => targetRevision));
  return [...revisions]
    .flatMap((revision) => {
      const target = history.find(revision);
      return target ? [target.version ? `${target.version} (revision ${target.revision})` : `revision ${target.revision}`] : [];
    })
    .join(', ');
}

function overallState(entries: readonly RolloutEntry[]): NonNullable<AddOnRolloutStatus['state']> {
  const states = new Set(entries.map(({ state }) => state));
  for (const state of ['Halted', 'Paused', 'Progressing', 'Pending', 'Completed'] as const) if (states.has(state)) return state;
  return 'Pending';
}

/** Creates the rollout, or adopts an existing rollout after its declaration was created again. */
export function rolloutActions({ managementAddOn, rollout }: FleetState): readonly ApiAction[] {
  const owner = declarationOwner(managementAddOn, { isController: true });
  if (!rollout) {
    const metadata = { name: managementAddOn.key.name, ownerReferences: [owner] };
    const object = { apiVersion: apiVersionOf(addOnRollouts), kind: addOnRollouts.kind, metadata, spec: {} };
    return [{ type: 'create', id: 'rollout', api: HUB, kind: addOnRollouts, object }];
  }
  if (rollout.owners.some(({ uid }) => uid === managementAddOn.uid)) return [];
  return [patchObserved(rollout, addOnRollouts, 'rollout', { metadata: { ownerReferences: withOwner(rollout.owners, owner) } })];
}

/**
 * Patches the record with the observed resourceVersion as a precondition. If the record has changed, the write fails and the next pass
 * decides again.
 */
export function recordAction({ rollout }: FleetState, record: AddOnRolloutStatus): ApiAction | undefined {
  if (!rollout) return undefined;
  const patch = createMergePatch(rollout.status, record) as JsonObject;
  if (Object.keys(patch).length === 0) return undefined;
  return patchObservedStatus(rollout, addOnRollouts, RECORD_ACTION, patch);
}
