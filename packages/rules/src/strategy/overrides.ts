import { groupResource, toRef, TEMPLATE_KIND } from '../configuration/references.js';
import type { AddOnProjection } from '../observed/add-ons.js';
import { isUserOwned } from './field-owners.js';
import type { Membership } from './membership.js';

type Place = Pick<Membership, 'entry' | 'isUnselected'>;

/**
 * Whether the add-on, not the fleet, decides a field: a user set the field, or no strategy applies. Without a strategy the spec counts as
 * an override, whichever field manager wrote it, so that removing a strategy moves no cluster.
 */
export function isOwnField(clusterAddOn: AddOnProjection, field: 'installVersion' | 'configs', { entry, isUnselected }: Place): boolean {
  return entry.source || isUnselected ? isUserOwned(clusterAddOn, field) : clusterAddOn.spec[field] !== undefined;
}

/**
 * Whether the installer will remove the add-on, because it created the add-on and no entry selects the cluster any more. Until its removal
 * the add-on does not change.
 */
export function isLeaving(clusterAddOn: AddOnProjection, { isUnselected }: Pick<Membership, 'isUnselected'>): boolean {
  return isUnselected && clusterAddOn.installedSpec !== undefined;
}

/** The empty set, which nearly every add-on has. It is shared, so that callers can compare by identity. */
export const NO_KINDS: ReadonlySet<string> = new Set();

/** `group/resource` of the config kinds that this add-on overrides. An override of the version also overrides the template. */
export function ownKinds(clusterAddOn: AddOnProjection, place: Place): ReadonlySet<string> {
  const configs = isOwnField(clusterAddOn, 'configs', place) ? (clusterAddOn.spec.configs ?? []) : [];
  const hasVersion = isOwnField(clusterAddOn, 'installVersion', place);
  if (configs.length === 0 && !hasVersion) return NO_KINDS;
  return new Set([...configs.map((ref) => groupResource(toRef(ref))), ...(hasVersion ? [TEMPLATE_KIND] : [])]);
}
