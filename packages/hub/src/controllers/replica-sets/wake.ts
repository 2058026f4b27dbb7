import { type ObjectKey, keyString } from '@outrigger/core';
import type { CacheView, Change } from '@outrigger/kube';
import type { DecisionRecord, PlacementRecord } from '@outrigger/rules/observed';
import { type ReplicaSetRecord, replicaSets } from '../../resources/replica-sets.js';
import type { ReplicaSetWorkRecord } from '../../resources/replica-set-works.js';
import { setOfLabel } from './names.js';

/** Each function returns the ManifestWorkReplicaSets to wake for a change. */

export function wakeBySet({ after }: Change<ReplicaSetRecord>): ObjectKey[] {
  return after ? [after.key] : [];
}

export function wakeByWork({ before, after }: Change<ReplicaSetWorkRecord>): ObjectKey[] {
  return [...new Set([before?.set, after?.set])].flatMap((label) => (label === undefined ? [] : (setOfLabel(label) ?? [])));
}

export function wakeByPlacement({ before, after }: Change<PlacementRecord>, view: CacheView): ObjectKey[] {
  const key = (after ?? before)?.key;
  return key ? referencing(view, keyString(key)) : [];
}

export function wakeByDecision({ before, after }: Change<DecisionRecord>, view: CacheView): ObjectKey[] {
  const changed = new Set([before?.placement, after?.placement]);
  return [...changed].flatMap((placement) => (placement === undefined ? [] : referencing(view, placement)));
}

function referencing(view: CacheView, placement: string): ObjectKey[] {
  return view.byIndex(replicaSets, 'placement', placement).map(({ key }) => key);
}
