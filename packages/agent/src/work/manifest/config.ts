import type { ConditionRule, FeedbackRule, ManifestConfig, UpdateStrategy } from '@outrigger/api';
import { matchesWildcard } from '@outrigger/core';
import type { ObjectRef } from '@outrigger/kube';

/** The rules by which the agent applies one manifest and reports on it. */
export interface Treatment {
  readonly strategy: UpdateStrategy;
  readonly feedbackRules: readonly FeedbackRule[];
  readonly conditionRules: readonly ConditionRule[];
}

const DEFAULT_STRATEGY: UpdateStrategy = { type: 'Update' };
export const DEFAULT_TREATMENT: Treatment = { strategy: DEFAULT_STRATEGY, feedbackRules: [], conditionRules: [] };

/**
 * Returns the rules for a manifest. Each field comes from the first matching manifest config that sets it. `feedbackScrapeType` has no
 * effect, because every object is watched.
 */
export function treatmentOf(configs: readonly ManifestConfig[], ref: ObjectRef): Treatment {
  const matching = configs.filter(({ resourceIdentifier }) => isAbout(resourceIdentifier, ref));
  return {
    strategy: matching.find(({ updateStrategy }) => updateStrategy !== undefined)?.updateStrategy ?? DEFAULT_STRATEGY,
    feedbackRules: matching.map(({ feedbackRules = [] }) => feedbackRules).find((rules) => rules.length > 0) ?? [],
    conditionRules: matching.map(({ conditionRules = [] }) => conditionRules).find((rules) => rules.length > 0) ?? [],
  };
}

/** Whether a manifest config matches the object. One without a namespace matches only objects without a namespace. */
function isAbout({ group = '', resource, namespace = '', name }: ManifestConfig['resourceIdentifier'], ref: ObjectRef): boolean {
  if (group !== ref.kind.group || resource !== ref.kind.plural) return false;
  return matchesWildcard(namespace, ref.namespace) && matchesWildcard(name, ref.name);
}
