import { ADDON_EVENT_MESSAGES, type AddOnEventReason, type ManagedClusterAddOnStatus, managedClusterAddOns } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import type { EventIntent } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { AddOnState } from './state.js';

/** The Event reason for a move that has succeeded, keyed by the reason of the condition Progressing during the move. */
const ARRIVALS: Readonly<Record<string, AddOnEventReason>> = {
  Installing: 'Installed',
  Upgrading: 'Upgraded',
  Rollingback: 'RolledBack',
  Reconfiguring: 'Reconfigured',
};

/** Events for the conditions that change from the current to the next status. */
export function statusEvents(state: Pick<AddOnState, 'clusterAddOn'>, next: ManagedClusterAddOnStatus): readonly EventIntent[] {
  const before = state.clusterAddOn.status;
  return [...progressEvents(state, before, next), ...dependencyEvents(state, before, next), ...refusalEvents(state, before, next)];
}

function progressEvents(
  { clusterAddOn }: Pick<AddOnState, 'clusterAddOn'>,
  before: ManagedClusterAddOnStatus,
  next: ManagedClusterAddOnStatus,
): readonly EventIntent[] {
  const old = findCondition(before.conditions, 'Progressing');
  const now = findCondition(next.conditions, 'Progressing');
  if (!now || (old?.reason === now.reason && old.message === now.message)) return [];
  if (now.reason === 'Failed') return [intent(clusterAddOn, 'Warning', 'Failed', now.message)];
  if (now.reason !== 'Succeed') return [];
  // If no status reported the move before it succeeded, there is no earlier condition Progressing. The move was then the installation.
  const arrival = ARRIVALS[old?.reason ?? 'Installing'] ?? 'Reconfigured';
  return [intent(clusterAddOn, 'Normal', arrival, next.currentVersion ? ADDON_EVENT_MESSAGES.arrived(next.currentVersion) : now.message)];
}

function dependencyEvents(
  { clusterAddOn }: Pick<AddOnState, 'clusterAddOn'>,
  before: ManagedClusterAddOnStatus,
  next: ManagedClusterAddOnStatus,
): readonly EventIntent[] {
  const old = findCondition(before.conditions, 'Degraded');
  const now = findCondition(next.conditions, 'Degraded');
  const isOurs = now?.reason === 'DependencyNotSatisfied' || now?.reason === 'RequiredDependencyNotSatisfied';
  if (!now || !isOurs || now.status !== 'True' || (old?.status === 'True' && old.message === now.message)) return [];
  return [intent(clusterAddOn, 'Warning', 'DependencyNotSatisfied', now.message)];
}

/**
 * Events for manifests that could not be applied and for permissions that the API server rejected. For a certificate request that could not
 * be signed or approved, the registration controller writes the Event.
 */
function refusalEvents(
  { clusterAddOn }: Pick<AddOnState, 'clusterAddOn'>,
  before: ManagedClusterAddOnStatus,
  next: ManagedClusterAddOnStatus,
): readonly EventIntent[] {
  const refusals = [
    { type: 'ManifestApplied', reason: 'ApplyFailed' },
    { type: 'RegistrationApplied', reason: 'RegistrationRefused' },
  ] as const;
  return refusals.flatMap(({ type, reason }) => {
    const old = findCondition(before.conditions, type);
    const now = findCondition(next.conditions, type);
    if (now?.status !== 'False' || (old?.status === 'False' && old.message === now.message)) return [];
    const isPending = now.reason === 'PermissionConfigPending' || /certificate request \S+ could not be/.test(now.message);
    return isPending ? [] : [intent(clusterAddOn, 'Warning', reason, now.message)];
  });
}

export function intent(
  { key, uid }: AddOnState['clusterAddOn'],
  type: EventIntent['type'],
  reason: AddOnEventReason,
  message: string,
): EventIntent {
  return { api: HUB, regarding: { kind: managedClusterAddOns, key, uid }, type, reason, message };
}
