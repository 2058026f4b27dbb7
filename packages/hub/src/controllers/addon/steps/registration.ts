import {
  ADDON_GROUP,
  type AddOnCondition,
  type AddOnConditionOf,
  type AddOnTemplateSpec,
  type ConfigGroupResource,
  REGISTRATION_APPLIED_MESSAGES,
  type RegistrationConfig,
  type RoleBinding,
} from '@outrigger/api';
import { findCondition, keyOf, keyString, memoize } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { DEPLOYMENT_CONFIG_RESOURCE, groupResource, TEMPLATE_RESOURCE } from '@outrigger/rules/configuration';
import { grantCommand, isBindingCurrent, permissionBindingsOf } from '../../../registration/permissions.js';
import { isSignIn, registrationsOf } from '@outrigger/rules/registration';
import type { BindingProjection } from '../../../resources/bindings.js';
import { bindingActionId, createBinding, deleteBinding, patchBinding } from '../access-actions.js';
import { addOnOwner } from '@outrigger/rules/plan';
import type { AddOnState } from '../state.js';
import type { ConditionChange } from './status.js';

type RegistrationApplied = AddOnConditionOf<'RegistrationApplied'>;

export interface RegistrationPlan {
  readonly registrations: readonly RegistrationConfig[];
  /** The condition that reports success. It is true only when `actions` have succeeded, so the status is written after these actions. */
  readonly condition: RegistrationApplied;
  readonly actions: readonly ApiAction[];
}

/** Plans the hub's part of an add-on's registration: the subjects of the add-on's certificates, and the permissions of these subjects. */
export function planRegistration(state: AddOnState, { registration = [] }: AddOnTemplateSpec): RegistrationPlan {
  const { name, namespace: cluster = '' } = state.clusterAddOn.key;
  const driver = state.clusterAddOn.status.kubeClientDriver;
  const wanted = permissionBindingsOf(registration, { cluster, addOn: name, driver, owner: addOnOwner(state.clusterAddOn) });
  const actions = bindingActions(state, wanted);
  // Report a rejection by the API server only for a binding that this pass writes. The others are already as wanted.
  const written = new Set(actions.map(({ id }) => id));
  const missing = wanted.filter((binding) => written.has(bindingActionId(keyOf(binding))));
  return {
    registrations: registrationsOf(registration, { cluster, addOn: name, driver }),
    condition: registrationApplied(state, registration.length > 0, missing),
    actions,
  };
}

function registrationApplied(state: AddOnState, isRegistered: boolean, missing: readonly RoleBinding[]): RegistrationApplied {
  const type = 'RegistrationApplied';
  const refused = missing.flatMap((binding) => refusedBinding(state, binding) ?? []);
  const problems = [...refused, ...(isRegistered ? state.requests.problems : [])];
  const message = problems.length > 0 ? REGISTRATION_APPLIED_MESSAGES.permissionFailed(problems.join('; ')) : undefined;
  const failure = message ?? (isRegistered ? openRequestFailure(state) : undefined);
  if (failure !== undefined) return { type, status: 'False', reason: 'SetPermissionFailed', message: failure };
  const reason = isRegistered ? 'SetPermissionApplied' : 'NilRegistration';
  return { type, status: 'True', reason, message: REGISTRATION_APPLIED_MESSAGES.configured };
}

/**
 * Returns the message that the status already reports about an open request. After a restart, the message stays until this process has
 * processed the request.
 */
function openRequestFailure({ clusterAddOn, requests }: AddOnState): string | undefined {
  const reported = findCondition(clusterAddOn.status.conditions, 'RegistrationApplied');
  const isOpen =
    reported?.status === 'False' && requests.open.some((request) => reported.message.includes(`certificate request ${request} `));
  return isOpen ? reported.message : undefined;
}

function refusedBinding({ outcomes }: AddOnState, binding: RoleBinding): string | undefined {
  const refusal = outcomes.refusal(bindingActionId(keyOf(binding)));
  if (!refusal) return undefined;
  const { kind, name } = binding.roleRef;
  const grant = refusal.reason === 'Forbidden' ? grantCommand({ kind, name }) : undefined;
  return REGISTRATION_APPLIED_MESSAGES.bindingRefused(`${kind} ${name}`, binding.metadata.namespace ?? '', refusal.message, grant);
}

/** Creates new bindings before it deletes old ones, so that an agent never loses a permission temporarily. */
function bindingActions({ access }: AddOnState, wanted: readonly RoleBinding[]): readonly ApiAction[] {
  const existing = new Map(access.bindings.map((binding) => [keyString(binding.key), binding]));
  const names = new Set(wanted.map((binding) => keyString(keyOf(binding))));
  const writes = wanted.flatMap((binding) => writeBinding(binding, existing.get(keyString(keyOf(binding)))));
  const surplus = access.bindings.filter((binding) => !names.has(keyString(binding.key)));
  return [...writes, ...surplus.map(deleteBinding), ...(writes.length === 0 ? access.outdatedBindings.map(deleteBinding) : [])];
}

function writeBinding(wanted: RoleBinding, existing: BindingProjection | undefined): readonly ApiAction[] {
  if (!existing) return [createBinding(wanted)];
  if (isBindingCurrent(existing, wanted)) return [];
  // The role of a binding cannot be changed, so a binding with another role is deleted and created again.
  const isSameRole = existing.roleRef.kind === wanted.roleRef.kind && existing.roleRef.name === wanted.roleRef.name;
  return [isSameRole ? patchBinding(existing, wanted) : deleteBinding(existing)];
}

/**
 * Removes the conditions that agents wrote about credentials that the add-on no longer has, because agents never remove them. Removes the
 * certificate condition if no registration needs a certificate; with the token driver, the registration for the hub needs none. Removes the
 * token condition if there is no registration for the hub, or if the driver uses certificates.
 */
export function endedCredentials(
  { clusterAddOn }: Pick<AddOnState, 'clusterAddOn'>,
  { registration = [] }: AddOnTemplateSpec,
): readonly ConditionChange[] {
  const isToken = clusterAddOn.status.kubeClientDriver === 'token';
  const ended: readonly (readonly [AddOnCondition['type'], boolean])[] = [
    ['ClusterCertificateRotated', !registration.some((one) => !isSignIn(one) || !isToken)],
    ['TokenRefreshed', !(isToken && registration.some(isSignIn))],
  ];
  return ended.flatMap(([type, isEnded]) =>
    isEnded && findCondition(clusterAddOn.status.conditions, type) ? [{ type, remove: true }] : [],
  );
}

/**
 * The config kinds that the add-on supports, always in the same order: the declared kinds, and the kinds that every add-on from templates
 * supports.
 */
export const supportedKinds: (declared: readonly ConfigGroupResource[]) => readonly ConfigGroupResource[] = memoize((declared) => {
  const all = [
    ...declared.map(({ group = '', resource }) => ({ group, resource })),
    { group: ADDON_GROUP, resource: DEPLOYMENT_CONFIG_RESOURCE },
    { group: ADDON_GROUP, resource: TEMPLATE_RESOURCE },
  ];
  return [...new Map(all.map((kind) => [groupResource(kind), kind])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, kind]) => kind);
});
