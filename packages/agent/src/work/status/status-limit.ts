import { MANIFEST_MESSAGES, type ManifestCondition } from '@outrigger/api';
import { type At, withFreshCondition } from './conditions.js';

/** Well below what an API server stores of one object, which the manifests share with the status. */
const MOST_CHARACTERS = 700_000;
const LEFT_OUT = 'the status of the work would be too large for its API server; ask for fewer values or split the work';

/** Without the reported values where the status would otherwise be refused as a whole, and saying so. */
export function withinLimit(manifests: readonly ManifestCondition[], at: At, most: number = MOST_CHARACTERS): readonly ManifestCondition[] {
  if (JSON.stringify(manifests).length <= most) return manifests;
  return manifests.map(({ statusFeedback, ...manifest }) => {
    if (!statusFeedback) return manifest;
    const message = MANIFEST_MESSAGES.feedbackFailed(LEFT_OUT);
    const outcome = { type: 'StatusFeedbackSynced', status: 'False', reason: 'StatusFeedbackSyncFailed', message } as const;
    return { ...manifest, conditions: withFreshCondition(manifest.conditions, outcome, at) };
  });
}
