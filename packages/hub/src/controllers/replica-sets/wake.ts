import { type ObjectKey, keyString } from '@outrigger/core';
import type { CacheView, Change } from '@outrigger/kube';
import type { PlacementDecisionProjection, PlacementProjection } from '@outrigger/rules/observed';
import { type ReplicaSetProjection, replicaSets } from '../../resources/replica-sets.js';
import type { ReplicaSetWorkProjection } from '../../resources/replica-set-works.js';
import { setOfLabel } from './names.js';

/** Each function returns the ManifestWorkReplicaSets to wake for a change. */

export function wakeBySet({ after }: Change<ReplicaSetProjection>): ObjectKey[] {
  return after ? [after.key] : [];
}

export function wakeByWork({ before, after }: Change<ReplicaSetWorkProjection>): ObjectKey[] {
  return [...new Set([before?.set, after?.set])].flatMap((label) => (label === undefined ? [] : (setOfLabel(label) ?? [])));
}

export function wakeByPlacement({ before, after }: Change<PlacementProjection>, view: CacheView): ObjectKey[] {
  const key = (after ?? before)?.key;
  return key ? referencing(view, keyString(key)) : [];
}

export function wakeByDecision({ before, after }: Change<PlacementDecisionProjection>, view: CacheView): ObjectKey[] {
  const changed = new Set([before?.placement, after?.placement]);
  return [...changed].flatMap((placement) => (placement === undefined ? [] : referencing(view, placement)));
}

function referencing(view: CacheView, placement: string): ObjectKey[] {
  return view.byIndex(replicaSets, 'placement', placement).map(({ key }) => key);
}
