import type { ManagedClusterAddOn, RolloutEntry, RolloutTarget } from '@outrigger/api';
import { projectAddOn } from '@outrigger/rules/observed';
import { isUserOwned } from '@outrigger/rules/strategy';

/**
 * Returns the clusters of an entry that an override keeps at another version than that of the target, each with its version: `cluster2
 * (v1)`. The record counts them as done, because a rollout does not change overrides.
 */
export function overriddenClusters(
  { targetRevision, members = [] }: RolloutEntry,
  history: readonly RolloutTarget[],
  installed: readonly ManagedClusterAddOn[],
): readonly string[] {
  const target = history.find(({ revision }) => revision === targetRevision)?.version ?? '';
  if (target === '') return [];
  const names = new Set(members);
  return installed
    .filter((clusterAddOn) => names.has(clusterAddOn.metadata.namespace ?? '') && isOverridden(clusterAddOn))
    .flatMap(({ metadata: { namespace = '' }, status: { installVersion = '' } = {} }) =>
      installVersion === '' || installVersion === target ? [] : [`${namespace} (${installVersion})`],
    )
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Whether a user overrides the version on the cluster, either directly or through configs, which may name a template. */
function isOverridden(clusterAddOn: ManagedClusterAddOn): boolean {
  const projection = projectAddOn(clusterAddOn, (value) => value);
  return isUserOwned(projection, 'installVersion') || isUserOwned(projection, 'configs');
}
