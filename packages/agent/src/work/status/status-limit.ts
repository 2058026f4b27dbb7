import { MANIFEST_MESSAGES, type ManifestCondition } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { type At, withCondition } from './conditions.js';

/** Well below the size that an API server stores for one object; the manifests are part of that size too. */
const MOST_CHARACTERS = 700_000;
const LEFT_OUT = 'the status of the work would be too large for its API server; ask for fewer values or split the work';

/** Leaves the reported values out, with a condition that reports this, if the status would otherwise be rejected as a whole. */
export function withinLimit(
  manifests: readonly ManifestCondition[],
  before: readonly (ManifestCondition | undefined)[],
  at: At,
  most: number = MOST_CHARACTERS,
): readonly ManifestCondition[] {
  if (JSON.stringify(manifests).length <= most) return manifests;
  return manifests.map((manifest, index) => (manifest.statusFeedback ? withoutValues(manifest, before[index], at) : manifest));
}

/** Keeps the earlier condition if it reported the same, so that leaving the values out again changes nothing. */
function withoutValues(
  { statusFeedback: _, ...manifest }: ManifestCondition,
  before: ManifestCondition | undefined,
  at: At,
): ManifestCondition {
  const message = MANIFEST_MESSAGES.feedbackFailed(LEFT_OUT);
  const outcome = { type: 'StatusFeedbackSynced', status: 'False', reason: 'StatusFeedbackSyncFailed', message } as const;
  const prior = findCondition(before?.conditions, outcome.type);
  const others = manifest.conditions.filter(({ type }) => type !== outcome.type);
  return { ...manifest, conditions: withCondition(prior ? [...others, prior] : others, outcome, at) };
}
