import { type AddOnRecord, isPersons } from '../resources/add-ons.js';
import type { StrategyEntry } from './entries.js';

/**
 * How much of its entry's addonTemplate an add-on follows: what the installer made follows it whole, without its configs once a person has
 * taken that list; what people made follows none of it.
 */
export type Following = 'all' | 'version' | 'none';

export function followingOf(addOn: AddOnRecord): Following {
  if (addOn.installedSpec === undefined) return 'none';
  return isPersons(addOn, 'configs') ? 'version' : 'all';
}

/** What is left of an entry for those who follow it that far. */
export function followedPart(entry: StrategyEntry, following: Following): StrategyEntry {
  if (following === 'all') return entry;
  const { installVersion } = entry.template;
  const template = following === 'version' && installVersion !== undefined ? { installVersion } : {};
  return { ...entry, template, configs: entry.ownConfigs };
}
