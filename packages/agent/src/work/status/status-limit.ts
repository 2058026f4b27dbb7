import { MANIFEST_MESSAGES, type ManifestCondition } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { type At, withCondition } from './conditions.js';

/**
 * The maximum size of the manifests' statuses in a work, in characters of JSON. It is well below the limit of an API server for one object,
 * because the object also contains the manifests.
 */
const MOST_CHARACTERS = 700_000;
const LEFT_OUT = 'the status of the work would be too large for its API server; ask for fewer values or split the work';

/** If the status is so large that the API server would reject it, drops the feedback values and reports this in a condition. */
export function withinLimit(
  manifests: readonly ManifestCondition[],
  before: readonly (ManifestCondition | undefined)[],
  at: At,
  most: number = MOST_CHARACTERS,
): readonly ManifestCondition[] {
  if (JSON.stringify(manifests).length <= most) return manifests;
  return manifests.map((manifest, index) => (manifest.statusFeedback ? withoutValues(manifest, before[index], at) : manifest));
}

/**
 * Drops the feedback values of one manifest. Keeps the existing condition if it already reports that values were dropped, so that the
 * status stays unchanged.
 */
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
