import { ADDON_GROUP } from '@outrigger/api';
import { TEMPLATE_RESOURCE, groupResource, toRef } from '../configuration/references.js';
import { type AddOnRecord, isPersons } from '../resources/add-ons.js';
import type { StrategyEntry } from './entries.js';

/**
 * Whether the add-on itself, not the fleet, decides a field: a person set it; or no entry selects its cluster, where what its spec says is
 * its own whoever wrote it, so that leaving a strategy moves nothing.
 */
export function isOwnField(addOn: AddOnRecord, field: 'installVersion' | 'configs', entry: StrategyEntry): boolean {
  return entry.source ? isPersons(addOn, field) : addOn.spec[field] !== undefined;
}

const NO_KINDS: ReadonlySet<string> = new Set();
const TEMPLATE_KIND = groupResource({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE });

/** `group/resource` of the configurations the fleet has no say in here; choosing a version is choosing the template. */
export function ownKinds(addOn: AddOnRecord, entry: StrategyEntry): ReadonlySet<string> {
  const configs = isOwnField(addOn, 'configs', entry) ? (addOn.spec.configs ?? []) : [];
  const hasVersion = isOwnField(addOn, 'installVersion', entry);
  if (configs.length === 0 && !hasVersion) return NO_KINDS;
  return new Set([...configs.map((ref) => groupResource(toRef(ref))), ...(hasVersion ? [TEMPLATE_KIND] : [])]);
}
