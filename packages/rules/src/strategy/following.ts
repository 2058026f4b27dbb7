import type { AddOnProjection } from '../observed/add-ons.js';
import { isUserOwned } from './field-owners.js';
import type { StrategyEntry } from './entry.js';

/**
 * The part of its entry's addonTemplate that an add-on follows. `all`: the installer created the add-on. `version`: a user has overridden
 * the configs, so the add-on follows everything else. `none`: a user created the add-on.
 */
export type Following = 'all' | 'version' | 'none';

export function followingOf(clusterAddOn: AddOnProjection): Following {
  if (clusterAddOn.installedSpec === undefined) return 'none';
  return isUserOwned(clusterAddOn, 'configs') ? 'version' : 'all';
}

/** The part of an entry that applies to add-ons that follow it to this extent. */
export function followedPart(entry: StrategyEntry, following: Following): StrategyEntry {
  if (following === 'all') return entry;
  const { installVersion } = entry.template;
  const template = following === 'version' && installVersion !== undefined ? { installVersion } : {};
  return { ...entry, template, configs: entry.ownConfigs };
}
