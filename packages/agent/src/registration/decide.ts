import { type AddOnConditionOf, KUBE_CLIENT_SIGNER, secrets } from '@outrigger/api';
import { type Condition, asJson, earliest, findCondition, removeCondition, setCondition, toTime } from '@outrigger/core';
import type { ApiAction, Decision, Now } from '@outrigger/kube';
import { type CredentialEffects, deletePending, stepDecision, stepProblem } from '../credentials/actions.js';
import { type CredentialState, type CredentialStep, nextStep, rotatedMessage } from '../credentials/machine.js';
import type { CredentialProjection } from '../credentials/secrets.js';
import { CLUSTER } from '../resources/apis.js';
import type { ClusterAddOnProjection } from '../resources/add-ons.js';
import { driverPatch, statusPatch } from './status-patch.js';
import { type TokenSpec, hasKubeClient } from './specs.js';
import type { RegistrationMemory, RegistrationState } from './state.js';
import { type TokenStep, inTime, nextTokenStep, seeToken } from './token.js';

type OwnCondition = AddOnConditionOf<'ClusterCertificateRotated' | 'TokenRefreshed'>;

export type RegistrationEffects = CredentialEffects & { readonly requestToken: TokenSpec };

type RegistrationDecision = Decision<RegistrationMemory, RegistrationEffects>;
/** The decision about one credential. */
type PartialDecision = Pick<RegistrationDecision, 'requeueAfterMs'> & { readonly stages: RegistrationDecision['stages'] };

/** Maintains one credential per registration, removes credentials that no registration needs, and reports the outcome on the add-on. */
export function decide(state: RegistrationState, now: Now): RegistrationDecision {
  const { clusterAddOn, leftovers } = state;
  const removals = [...leftovers.secrets.map(deleteSecret), ...leftovers.pending.map(deletePending)];
  if (!clusterAddOn) return removals.length > 0 ? { stages: [removals] } : { stages: [] };
  // An add-on that is being removed needs its credentials to clean up.
  if (clusterAddOn.isDeleting) return { stages: [] };
  const driver = driverPatch(state, clusterAddOn);
  if (driver) return { stages: [[driver]] };

  const steps = state.certificates.map((credential) => ({ credential, step: nextStep(credential, now) }));
  const seen = seeToken(state.remembered.token, state.token?.stored?.token, now);
  const wanted = state.token && nextTokenStep(state.token.spec, state.token.stored, clusterAddOn, { seen, now });
  const token = wanted && inTime(wanted, state.remembered.tokenRequests, now);
  const decisions = steps.map(({ credential, step }) => stepDecision(credential.spec, step));
  const conditions = [certificateCondition(steps, state), tokenCondition(state, token)].filter((condition) => condition !== undefined);
  const report = reportOf(state, clusterAddOn, conditions, now);
  const combined = combine([
    { stages: [removals] },
    ...decisions,
    ...(token && state.token ? [tokenDecision(state.token.spec.id, token, state.token.spec)] : []),
    { stages: [report] },
  ]);
  return { ...combined, remember: { ...state.remembered, token: seen } };
}

function tokenDecision(id: string, step: TokenStep, input: TokenSpec): PartialDecision {
  if (step.type === 'request') return { stages: [[{ type: 'effect', effect: 'requestToken', id: `requestToken/${id}`, input }]] };
  return step.forMs === undefined ? { stages: [] } : { stages: [], requeueAfterMs: step.forMs };
}

/** Merges independent decisions into one stage with all actions and the earliest requeue time. */
function combine(decisions: readonly PartialDecision[]): PartialDecision {
  const actions = decisions.flatMap(({ stages }) => stages.flat());
  const requeueAfterMs = earliest(...decisions.map((one) => one.requeueAfterMs));
  return {
    stages: actions.length > 0 ? [actions] : [],
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
  };
}

interface Stepped {
  readonly credential: CredentialState;
  readonly step: CredentialStep;
}

/**
 * Returns one condition for all certificates of an add-on. It reports the first certificate with an error, and otherwise the first valid
 * certificate.
 */
function certificateCondition(steps: readonly Stepped[], { outcomes }: RegistrationState): OwnCondition | undefined {
  for (const { credential, step } of steps) {
    const { signerName } = credential.spec;
    const why = stepProblem(credential.spec, step, outcomes);
    const text = signerName === KUBE_CLIENT_SIGNER || why === undefined ? why : `${signerName}: ${why}`;
    if (text !== undefined)
      return { type: 'ClusterCertificateRotated', status: 'False', reason: 'ClientCertificateUpdateFailed', message: text };
  }
  const current = steps.find(
    ({ credential: { certificate }, step }) => step.type === 'keep' && typeof certificate === 'object',
  )?.credential;
  if (!current || typeof current.certificate !== 'object') return undefined;
  const message = rotatedMessage(current.certificate);
  return { type: 'ClusterCertificateRotated', status: 'True', reason: 'ClientCertificateUpdated', message };
}

function tokenCondition({ token, outcomes }: RegistrationState, step: TokenStep | undefined): OwnCondition | undefined {
  if (!token || !step) return undefined;
  const refusal = step.type === 'request' ? outcomes.refusal(`requestToken/${token.spec.id}`) : undefined;
  if (refusal) return { type: 'TokenRefreshed', status: 'False', reason: 'TokenCreationFailed', message: refusal.message };
  const claims = token.stored?.token;
  if (!claims || step.type !== 'keep') return undefined;
  const message = `token refreshed, valid until ${toTime(claims.expiresAt)}`;
  return { type: 'TokenRefreshed', status: 'True', reason: 'AddonTokenRefreshed', message };
}

/** Reports the agent's conditions and removes the conditions of a driver that is no longer used. */
function reportOf(
  state: RegistrationState,
  clusterAddOn: ClusterAddOnProjection,
  conditions: readonly OwnCondition[],
  now: Now,
): readonly ApiAction[] {
  const before: readonly Condition[] = clusterAddOn.status.conditions ?? [];
  const isCertified = state.certificates.length > 0;
  const stale = [...(isCertified ? [] : ['ClusterCertificateRotated']), ...(state.token ? [] : ['TokenRefreshed'])];
  const isRegistered = hasKubeClient(clusterAddOn) || isCertified;
  const kept = isRegistered ? stale.reduce<readonly Condition[]>((list, type) => removeCondition(list, type), before) : before;
  const next = conditions.reduce<readonly Condition[]>(
    (list, condition) => setCondition(list, condition, { generation: clusterAddOn.generation, now: now.time }),
    kept,
  );
  const isNews = next !== before && conditionsDiffer(before, next);
  return isNews ? [statusPatch(state, clusterAddOn, 'conditions', { conditions: asJson(next) })] : [];
}

function conditionsDiffer(before: readonly Condition[], next: readonly Condition[]): boolean {
  return next.length !== before.length || next.some((condition) => findCondition(before, condition.type) !== condition);
}

function deleteSecret({ key, uid }: CredentialProjection): ApiAction {
  const id = `secret/${key.namespace ?? ''}/${key.name}`;
  return { type: 'delete', id, api: CLUSTER, kind: secrets, key, precondition: { uid }, accept: ['NotFound', 'Conflict'] };
}
