import { FEATURE_LABEL_PREFIX, featureLabel } from '@outrigger/api';
import { type ConditionStatus, validateQualifiedName } from '@outrigger/core';
import type { LeftoverAddOnProjection } from '../../../resources/cluster-leftovers.js';
import type { ClusterState } from '../state.js';

const VALUES: Readonly<Record<ConditionStatus, string>> = { True: 'available', False: 'unhealthy', Unknown: 'unreachable' };

/**
 * Returns the changes to the labels that list a cluster's add-ons, as a merge patch of `metadata.labels` in which null removes a label. An
 * add-on whose name is not valid in a label gets no label; the labels of other add-ons are not affected.
 */
export function featureLabels({ cluster, addOns }: Pick<ClusterState, 'cluster' | 'addOns'>): Readonly<Record<string, string | null>> {
  const wanted = new Map(addOns.filter(hasLabel).map(({ key, available = 'Unknown' }) => [featureLabel(key.name), VALUES[available]]));
  const surplus = Object.keys(cluster.labels).filter((label) => label.startsWith(FEATURE_LABEL_PREFIX) && !wanted.has(label));
  const changed = [...wanted].filter(([label, value]) => cluster.labels[label] !== value);
  return Object.fromEntries([...surplus.map((label) => [label, null] as const), ...changed]);
}

function hasLabel({ key, isDeleting }: LeftoverAddOnProjection): boolean {
  return !isDeleting && validateQualifiedName(featureLabel(key.name)).length === 0;
}
