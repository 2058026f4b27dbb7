import {
  type AddOnTemplateSpec,
  HUB_NAMESPACE,
  KUBE_CLIENT_SIGNER,
  serviceAccounts,
  tokenInfrastructureReadyMessage,
} from '@outrigger/api';
import { findCondition, keyOf, keyString, shell } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { type WantedTokenObject, tokenInfrastructure } from '../../../registration/token-infrastructure.js';
import type { TokenObjectProjection } from '../../../resources/token-objects.js';
import { createTokenObject, deleteTokenObject, patchTokenObject } from '../access-actions.js';
import { addOnOwner } from '@outrigger/rules/plan';
import { isSignIn } from '@outrigger/rules/registration';
import type { AddOnState } from '../state.js';
import type { ConditionChange } from './status.js';

export interface TokenPlan {
  readonly condition: ConditionChange | undefined;
  readonly actions: readonly ApiAction[];
}

/** Whether a template registers its agents with the hub's API. */
export function asksForSignIn({ registration = [] }: AddOnTemplateSpec): boolean {
  return registration.some(isSignIn);
}

/**
 * Whether an add-on rendered by another manager registers with the hub's API. It does if that manager lists such a registration in the
 * status.
 */
export function publishesSignIn({ clusterAddOn }: Pick<AddOnState, 'clusterAddOn'>): boolean {
  return (clusterAddOn.status.registrations ?? []).some(({ signerName }) => signerName === KUBE_CLIENT_SIGNER);
}

/**
 * Plans the ServiceAccount, role and binding of an add-on whose agent authenticates with tokens. Deletes them if the add-on's agent uses
 * certificates or does not register. The role refers to the ServiceAccount by name, so the role exists only while the ServiceAccount of
 * that name belongs to the add-on. Otherwise the cluster's agent could get tokens of a ServiceAccount that a user created.
 */
export function planToken(state: AddOnState, isSigningIn: boolean): TokenPlan {
  const { clusterAddOn, access } = state;
  const { name, namespace: cluster = '' } = clusterAddOn.key;
  const isWanted = isSigningIn && clusterAddOn.status.kubeClientDriver === 'token';
  const wanted = isWanted ? tokenInfrastructure(cluster, name, addOnOwner(clusterAddOn)) : [];
  const found = (one: WantedTokenObject): TokenObjectProjection | undefined =>
    access.tokenObjects.find((tokenObject) => idOf(tokenObject) === `${one.kind.plural} ${keyString(keyOf(one.object))}`);
  const isCurrent = (one: WantedTokenObject): boolean => {
    const tokenObject = found(one);
    return tokenObject !== undefined && one.isCurrent(tokenObject);
  };
  const hasAccount = wanted.some((one) => one.kind === serviceAccounts && isCurrent(one));
  const granted = hasAccount ? wanted : wanted.filter(({ kind }) => kind === serviceAccounts);
  const names = new Set(granted.map((one) => `${one.kind.plural} ${keyString(keyOf(one.object))}`));
  const writes = granted.flatMap((one): ApiAction[] => {
    const tokenObject = found(one);
    if (!tokenObject) return [createTokenObject(one)];
    if (isCurrent(one)) return [];
    return [one.mustReplace(tokenObject) ? deleteTokenObject(tokenObject) : patchTokenObject(tokenObject, one)];
  });
  const surplus = access.tokenObjects.filter((tokenObject) => !names.has(idOf(tokenObject)));
  return { condition: tokenCondition(state, wanted, writes), actions: [...writes, ...surplus.map(deleteTokenObject)] };
}

/**
 * The token condition. Its message contains the UID of the ServiceAccount, from which agents detect that their token belongs to a deleted
 * account.
 */
function tokenCondition(
  { clusterAddOn, access, outcomes }: AddOnState,
  wanted: readonly WantedTokenObject[],
  writes: readonly ApiAction[],
): ConditionChange | undefined {
  const type = 'TokenInfrastructureReady';
  if (wanted.length === 0) return findCondition(clusterAddOn.status.conditions, type) ? { type, remove: true } : undefined;
  const refusal = writes.map(({ id }) => outcomes.refusal(id)).find((found) => found !== undefined);
  if (refusal)
    return {
      type,
      status: 'False',
      reason: 'TokenInfrastructureApplyFailed',
      message: `${refusal.message}${grantHint(refusal.reason, clusterAddOn.key.namespace)}`,
    };
  const account = access.tokenObjects.find(({ kind }) => kind.plural === serviceAccounts.plural);
  const isComplete = wanted.every((one) =>
    access.tokenObjects.some((tokenObject) => tokenObject.kind === one.kind && one.isCurrent(tokenObject)),
  );
  if (!account || !isComplete) return undefined;
  const { name, namespace = '' } = account.key;
  return {
    type,
    status: 'True',
    reason: 'TokenInfrastructureReady',
    message: tokenInfrastructureReadyMessage(namespace, name, account.uid),
  };
}

/** The command with which an administrator allows the hub to set up tokens for one cluster. */
function grantHint(reason: string, cluster: string | undefined): string {
  if (reason !== 'Forbidden') return '';
  const account = `${HUB_NAMESPACE}:outrigger-hub`;
  const grant = shell`kubectl create rolebinding outrigger-tokens --namespace=${cluster} --clusterrole=outrigger:token-registration --serviceaccount=${account}`;
  return `; to let add-ons of this cluster sign in with tokens: ${grant}`;
}

function idOf({ kind, key }: TokenObjectProjection): string {
  return `${kind.plural} ${keyString(key)}`;
}
