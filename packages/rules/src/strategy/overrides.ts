import type { AddOnRolloutStatus, InstallTemplate } from '@outrigger/api';
import { groupResource, toRef, TEMPLATE_KIND } from '../configuration/references.js';
import type { AddOnProjection } from '../observed/add-ons.js';
import { homeOf } from '../observed/rollouts.js';
import { DEFAULT_ENTRY, defaultEntry } from './entry.js';
import { isUserOwned } from './field-owners.js';
import type { Membership } from './membership.js';

type Place = Pick<Membership, 'entry' | 'isUnselected'>;

/**
 * Whether the add-on, and not its entry, determines a field: a user set the field, or no strategy applies. Without a strategy the spec
 * counts as an override, whichever field manager wrote it, so that removing a strategy moves no cluster.
 */
export function isOwnField(clusterAddOn: AddOnProjection, field: 'installVersion' | 'configs', { entry, isUnselected }: Place): boolean {
  return entry.source || isUnselected ? isUserOwned(clusterAddOn, field) : clusterAddOn.spec[field] !== undefined;
}

/**
 * Whether an add-on that the installer created leaves the default entry: the record lists the add-on there, but the declaration has other
 * entries, and the add-on belongs to one of them or may belong to one. The fields that the installer wrote count as overrides in the default
 * entry but not in the other entries, so the content of the add-on is not known until the record lists it in its new entry.
 */
export function isLeavingDefault(
  clusterAddOn: AddOnProjection,
  { entry, isUnselected }: Place,
  record: AddOnRolloutStatus | undefined,
): boolean {
  if (!record || (entry.source === undefined && !isUnselected) || !installedFields(clusterAddOn)) return false;
  const cluster = clusterAddOn.key.namespace ?? '';
  return homeOf(record, cluster)?.name === DEFAULT_ENTRY && !isAdmitted(record, entry.name, cluster);
}

/**
 * Returns the entry whose rules decide which fields of an add-on count as overrides. If the record lists the add-on in the default entry,
 * and it is not certain yet to which other entry the add-on belongs, this is the default entry.
 */
export function contentPlace(clusterAddOn: AddOnProjection, membership: Membership, record: AddOnRolloutStatus | undefined): Place {
  const isInDefault = !membership.isSettled && isLeavingDefault(clusterAddOn, membership, record);
  return isInDefault ? { entry: defaultEntry, isUnselected: false } : membership;
}

function isAdmitted({ entries = [] }: AddOnRolloutStatus, entryName: string, cluster: string): boolean {
  return entries.some(({ name, inFlight = [] }) => name === entryName && inFlight.some((one) => one.cluster === cluster));
}

/**
 * Returns the fields of an add-on's spec that count as overrides in the default entry only, because the installer wrote them. Undefined if
 * there are none.
 */
export function installedFields(clusterAddOn: AddOnProjection): Pick<InstallTemplate, 'installVersion' | 'configs'> | undefined {
  const { installVersion, configs } = clusterAddOn.spec;
  const isOurs = (field: 'installVersion' | 'configs'): boolean => !isUserOwned(clusterAddOn, field);
  const fields = {
    ...(installVersion !== undefined && isOurs('installVersion') ? { installVersion } : {}),
    ...(configs !== undefined && isOurs('configs') ? { configs } : {}),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
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
