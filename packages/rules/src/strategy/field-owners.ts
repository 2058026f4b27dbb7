import type { AddOnProjection, AddOnSpecProjection } from '../observed/add-ons.js';
import { installedSpec } from './mark.js';

/** Whether a user, and not the installer, owns this field: another field manager set it, or the installer did not create the add-on. */
export function isUserOwned(clusterAddOn: AddOnProjection, field: keyof AddOnSpecProjection): boolean {
  if (clusterAddOn.spec[field] === undefined) return false;
  if (clusterAddOn.installedSpec === undefined) return true;
  const { installer, others } = clusterAddOn.owners[field];
  return others || (!installer && !isRestored(clusterAddOn));
}

/**
 * Whether the installer lost its field ownership without an edit. This happens when a backup is restored: another field manager then owns
 * the mark and the fields, but the fields still match the mark.
 */
export function isRestored({ installedSpec: mark, owners: { installVersion, configs }, spec }: AddOnProjection): boolean {
  if (mark === undefined || installVersion.installer || configs.installer || installVersion.others || configs.others) return false;
  return (installVersion.restorer || configs.restorer) && mark === installedSpec(spec);
}
