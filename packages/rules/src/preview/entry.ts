import { ADDON_GROUP, type ClusterManagementAddOnSpec } from '@outrigger/api';
import { entriesOf } from '../strategy/entries.js';
import { type StrategyEntry, defaultEntry } from '../strategy/entry.js';
import { strategyFor } from '../strategy/strategies.js';
import type { StrategyLookups } from '../strategy/lookups.js';

/**
 * Returns the entry that a cluster would belong to: the entry with this name, else the last entry that selects the cluster, else the only
 * entry. The returned entry is assumed to select the cluster. If there is no entry, the cluster gets the declaration's own version and
 * configs.
 */
export function previewEntry(
  spec: ClusterManagementAddOnSpec,
  cluster: string,
  lookups: StrategyLookups,
  name: string | undefined,
): StrategyEntry {
  const entries = entriesOf(spec);
  const selects = ({ source }: StrategyEntry): boolean => source !== undefined && strategyFor(source).selects(source, cluster, lookups);
  const chosen = name === undefined ? entries.findLast(selects) : entries.find((entry) => entry.name === name);
  const entry = chosen ?? (entries.length === 1 ? entries[0] : undefined) ?? defaultEntry;
  const { configs } = entry.template;
  return {
    ...entry,
    source: entry.source ?? { type: 'ClusterLabelSelector', labelSelector: {} },
    template: { ...entry.template, ...(configs ? { configs: configs.filter(isRendered) } : {}) },
    configs: entry.configs.filter(isRendered),
    ownConfigs: entry.ownConfigs.filter(isRendered),
  };
}

/**
 * Whether a config can change the manifests. Only configs of the add-on API group can; configs of other groups are read only by the
 * add-on's agent.
 */
export function isRendered({ group }: { readonly group?: string }): boolean {
  return group === ADDON_GROUP;
}
