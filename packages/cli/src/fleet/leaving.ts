import { nameOf } from '@outrigger/core';
import { INSTALLED_SPEC_ANNOTATION } from '@outrigger/api';
import { type Snapshot, explainSelection } from '@outrigger/rules/why';

/**
 * Returns the clusters from which the installer would remove the add-on, because it created the add-on there and no entry selects them any
 * more.
 */
export function leavingClusters(snapshot: Snapshot, addOn: string): readonly string[] {
  const managementAddOn = snapshot.managementAddOns.find((one) => nameOf(one) === addOn);
  const clusters = new Map(snapshot.clusters.map((cluster) => [nameOf(cluster), cluster]));
  return snapshot.installed
    .filter(({ metadata }) => metadata.name === addOn && metadata.annotations?.[INSTALLED_SPEC_ANNOTATION] !== undefined)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.namespace ?? '')
    .filter((name) => {
      const cluster = clusters.get(name);
      return managementAddOn !== undefined && cluster !== undefined && !explainSelection(snapshot, managementAddOn, cluster).isSelected;
    })
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Returns the add-ons that depend on this add-on. */
export function dependentsOf({ managementAddOns }: Pick<Snapshot, 'managementAddOns'>, addOn: string): readonly string[] {
  return managementAddOns
    .filter(({ spec }) => (spec.dependencies ?? []).some(({ name, type }) => name === addOn && type !== 'Optional'))
    .map(nameOf)
    .sort();
}
