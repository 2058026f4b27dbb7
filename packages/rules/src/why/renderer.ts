import type { ManagedClusterAddOn } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { isTemplate } from '../configuration/references.js';

/**
 * Whether the hub has observed the add-on and no manager renders it. Such an add-on uses no template, and nothing in its status comes from
 * another manager. If another tool installed the add-on's agent, that agent can still report through a lease.
 */
export function isUnrendered({ status = {} }: ManagedClusterAddOn): boolean {
  const { conditions, configReferences = [], healthCheck, registrations, supportedConfigs } = status;
  const has = (type: string): boolean => findCondition(conditions, type) !== undefined;
  if (!has('Configured') || has('ManifestApplied') || has('RegistrationApplied')) return false;
  if (
    healthCheck?.mode ||
    registrations ||
    supportedConfigs ||
    configReferences.some(({ group = '', resource }) => isTemplate({ group, resource }))
  )
    return false;
  const available = findCondition(conditions, 'Available');
  return available?.status !== 'True' && !/^(Probe|Work|NoProbe)/.test(available?.reason ?? '');
}
