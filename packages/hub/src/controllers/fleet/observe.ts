import { type ObjectKey, compileLabelSelector } from '@outrigger/core';
import type { CacheView } from '@outrigger/kube';
import { configLookup } from '../../configuration/lookup.js';
import { isTemplate } from '../../configuration/references.js';
import { type AddOnRecord, addOns } from '../../resources/add-ons.js';
import { clusters } from '../../resources/clusters.js';
import { declarations } from '../../resources/declarations.js';
import { placements } from '../../resources/placements.js';
import { rollouts } from '../../resources/rollouts.js';
import { templates } from '../../resources/templates.js';
import type { DecisionGroup } from '../../rollout/admit.js';
import { type StrategyEntry, defaultConfigs, defaultEntry, entriesOf } from '../../strategy/entries.js';
import { decisionGroups, isSelectedByLabels, unknownPlacement } from '../../strategy/membership.js';
import { versionCatalog } from '../../versions/catalog.js';
import { dependencyCycle } from '../../dependencies/cycle.js';
import type { EntryObservation, FleetState } from './state.js';

/** Reads everything a fleet pass looks at, in one turn. */
export function observe(view: CacheView, key: ObjectKey, contentNamespace: string): FleetState | undefined {
  const declaration = view.get(declarations, key);
  if (!declaration) return undefined;
  const installed = view.byIndex(addOns, 'addOn', key.name);
  const selected = entriesOf(declaration.spec).map((entry) => entryObservation(view, entry));
  return {
    declaration,
    rollout: view.get(rollouts, key),
    // First, because any entry that selects a cluster takes it from the default one.
    entries: [defaultObservation(installed), ...selected],
    addOns: installed,
    cluster: (name) => view.get(clusters, { name }),
    catalog: versionCatalog(view.byIndex(templates, 'addOn', key.name), defaultConfigs(declaration.spec).find(isTemplate)?.name),
    configs: configLookup(view),
    cycle: dependencyCycle(view, key.name),
    contentNamespace,
  };
}

function entryObservation(view: CacheView, entry: StrategyEntry): EntryObservation {
  if (!entry.source) return { entry, unknown: undefined, groups: [], clustersPerGroup: undefined };
  if ('labelSelector' in entry.source) {
    const selector = compileLabelSelector(entry.source.labelSelector);
    const names = [...view.list(clusters)].filter((cluster) => isSelectedByLabels(cluster, selector)).map((cluster) => cluster.key.name);
    return { entry, unknown: undefined, groups: [oneGroup(names)], clustersPerGroup: undefined };
  }
  const [namespace = '', name = ''] = entry.source.placement.split('/');
  return {
    entry,
    unknown: unknownPlacement(view, entry.source.placement),
    groups: decisionGroups(view, entry.source.placement),
    clustersPerGroup: view.get(placements, { namespace, name })?.clustersPerGroup,
  };
}

function defaultObservation(installed: readonly AddOnRecord[]): EntryObservation {
  const names = installed.filter((addOn) => !addOn.isDeleting).map((addOn) => addOn.key.namespace ?? '');
  return { entry: defaultEntry, unknown: undefined, groups: [oneGroup(names)], clustersPerGroup: undefined };
}

function oneGroup(clusterNames: readonly string[]): DecisionGroup {
  return { index: 0, name: '', clusters: [...clusterNames].sort() };
}
