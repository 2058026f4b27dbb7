import {
  APPROVED_REASON,
  type CertificateSigningRequestCondition,
  DENIED_REASON,
  KUBE_CLIENT_SIGNER,
  REGISTRATION_APPLIED_MESSAGES,
  type SigningCAReference,
  addOnDnsName,
  certificateSigningRequests,
  managedClusterAddOns,
  managedClusters,
  namespaces,
} from '@outrigger/api';
import type { ObjectKey } from '@outrigger/core';
import type { ApiAction, Decision, EffectAction, EventIntent, Now, Refusal } from '@outrigger/kube';
import { type AgentIdentity, identityPatch, readIdentity, withIssued } from '../../registration/agent-identity.js';
import { HUB } from '../../resources/base.js';
import { registrationFor } from '@outrigger/rules/registration';
import { patchObserved } from '../observed-actions.js';
import { judgeAddOnRequest } from './add-on-rules.js';
import { judgeClusterRequest } from './cluster-rules.js';
import type { ExaminedRequest } from './parsed-requests.js';
import { grantHint } from './grant-hint.js';
import { budgetOf, speaksFor } from './identity.js';
import type { PastRequest, RegistrationState } from './state.js';
import type { Verdict } from './verdict.js';

export interface ExamineInput {
  readonly request: string;
  readonly requester: string;
}

export interface ReviewInput {
  readonly user: string;
  readonly groups: readonly string[];
  readonly cluster: string;
}

export interface SignInput {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly request: string;
  readonly signingCA: { readonly namespace: string; readonly name: string };
  readonly dnsNames: readonly string[];
  readonly expirationSeconds: number | undefined;
  /** Maximum lifetime of the certificate, whatever lifetime is requested. */
  readonly maxSeconds: number;
}

export interface ReportInput {
  readonly request: string;
  readonly addOn: ObjectKey;
  readonly message: string;
}

/** The effects of the registration controller, with their inputs. */
export type RegistrationEffects = {
  readonly examine: ExamineInput;
  /** Parses an issued certificate. */
  readonly 'read-issued': string;
  readonly review: ReviewInput;
  readonly sign: SignInput;
  /** Makes the add-on report a problem with the request. */
  readonly report: ReportInput;
  /** Clears the problem with the request of this name. */
  readonly forget: string;
};

type RegistrationDecision = Decision<ExaminedRequest, RegistrationEffects>;
type RegistrationEffect = EffectAction<RegistrationEffects>;

/**
 * The delay before the next attempt of an action that was rejected, for example because a permission is missing or an authority cannot
 * sign.
 */
const RETRY_REFUSED_MS = 60_000;

/** Parses a request once, approves or denies it, and signs an approved request if the template names a signing authority. */
export function decide(state: RegistrationState | PastRequest, now: Now): RegistrationDecision {
  if (!state.request) return { stages: [[{ type: 'effect', effect: 'forget', id: 'forget', input: state.name }]] };
  if (state.request.step === 'issued') return record(state);
  if (isForAnotherManager(state)) return { stages: [] };
  if (!state.parsed) return examine(state, now);
  const verdict = judge(state, now.wall);
  const refusal = latestRefusal(state);
  if (refusal && now.wall - refusal.at < RETRY_REFUSED_MS) {
    const message = problemMessage(state, refusal);
    return {
      stages: report(state, message),
      events: eventsFor(state, 'Failed', message),
      requeueAfterMs: RETRY_REFUSED_MS - (now.wall - refusal.at),
    };
  }
  return state.request.step === 'sign' ? sign(state, verdict) : carryOut(state, verdict, now);
}

function isForAnotherManager({ request, asker }: RegistrationState): boolean {
  if (asker.type === 'add-on') return !asker.facts.isOurs;
  return asker.facts.bootstrap === undefined || request.step !== 'decide' || request.signerName !== KUBE_CLIENT_SIGNER;
}

/** Applies the rate limit before the request is parsed, because parsing includes a signature check. */
function examine({ request, waitMs }: RegistrationState, now: Now): RegistrationDecision {
  const delay = waitMs(now.monotonic);
  if (delay > 0) return { stages: [], requeueAfterMs: delay };
  const input: ExamineInput = { request: request.request, requester: budgetOf(request) };
  return { stages: [[{ type: 'effect', effect: 'examine', id: 'examine', input }]] };
}

export function judge({ request, parsed, asker }: RegistrationState, nowMs: number): Verdict {
  if (!parsed) return { type: 'wait', why: 'the request has not been read yet' };
  return asker.type === 'add-on'
    ? judgeAddOnRequest(request, parsed, asker.facts)
    : judgeClusterRequest(request, parsed, asker.facts, nowMs);
}

/**
 * Adds an issued certificate to the identity record of the cluster's agent. An effect must parse the certificate before the pass can
 * compare it with the record.
 */
function record(state: RegistrationState): RegistrationDecision {
  const { request, namespace, issued, reportedProblem } = state;
  const forgotten: readonly RegistrationEffect[] =
    reportedProblem === undefined ? [] : [{ type: 'effect', effect: 'forget', id: 'forget', input: request.key.name }];
  if (!issued) {
    if (state.isIssuedRead) return { stages: forgotten.length > 0 ? [forgotten] : [] };
    const reading: RegistrationEffect = { type: 'effect', effect: 'read-issued', id: 'read-issued', input: request.certificate };
    return { stages: [[...forgotten, reading]], requeueAfterMs: 1 };
  }
  const known = readIdentity(namespace?.identity);
  const next = withIssued(known, issued);
  const stored = next === known ? [] : storeIdentity(state, next);
  return { stages: [[...forgotten, ...stored]].filter((stage) => stage.length > 0) };
}

function carryOut(state: RegistrationState, verdict: Verdict, now: Now): RegistrationDecision {
  switch (verdict.type) {
    case 'ignore':
    case 'wait':
      return { stages: [] };
    case 'deny':
      return {
        stages: [[setCondition(state, { type: 'Denied', reason: DENIED_REASON, message: verdict.why }, now)]],
        events: eventsFor(state, DENIED_REASON, `certificate request ${state.request.key.name} was denied: ${verdict.why}`),
      };
    case 'approve': {
      const approval = setCondition(state, { type: 'Approved', reason: APPROVED_REASON, message: verdict.message }, now);
      const remembered = verdict.identity === undefined ? [] : storeIdentity(state, verdict.identity);
      return { stages: [remembered, verdict.review ? [review(state)] : [], [approval]].filter((stage) => stage.length > 0) };
    }
  }
}

type Outcome = Pick<CertificateSigningRequestCondition, 'type' | 'reason' | 'message'>;

function setCondition({ request }: RegistrationState, outcome: Outcome, now: Now): ApiAction {
  const condition = { ...outcome, status: 'True', lastUpdateTime: now.time, lastTransitionTime: now.time };
  const patch = { status: { conditions: [...request.conditions, condition] } };
  return { ...patchObserved(request, certificateSigningRequests, 'approval', patch), subresource: 'approval', accept: ['NotFound'] };
}

/**
 * Stores the identity record of the cluster's agent. When a machine joins, this happens before the approval, so that no certificate is ever
 * issued for a key that is not recorded.
 */
function storeIdentity({ namespace }: RegistrationState, identity: AgentIdentity): readonly ApiAction[] {
  if (!namespace || namespace.isDeleting) return [];
  return [patchObserved(namespace, namespaces, 'agent-identity', identityPatch({ ...identity, namespace: namespace.uid }))];
}

function review({ request }: RegistrationState): RegistrationEffect {
  const input: ReviewInput = { user: request.user, groups: request.groups, cluster: request.clusterName };
  return { type: 'effect', effect: 'review', id: 'review', input };
}

/** Signs an approved request only if the hub itself would approve it. The approval by a user is not sufficient. */
function sign(state: RegistrationState, verdict: Verdict): RegistrationDecision {
  const { request, asker, managerNamespace } = state;
  if (verdict.type !== 'approve' || asker.type !== 'add-on' || state.parsed?.type !== 'readable') return { stages: [] };
  const signingCA = registrationFor(request.signerName, asker.facts.template)?.customSigner?.signingCA;
  if (!signingCA) return { stages: [] };
  const input: SignInput = {
    name: request.key.name,
    uid: request.uid,
    resourceVersion: request.resourceVersion,
    request: request.request,
    signingCA: locate(signingCA, managerNamespace),
    dnsNames: state.parsed.csr.altNames.dnsNames.filter((name) => name === addOnDnsName(request.addOnName)),
    expirationSeconds: request.expirationSeconds,
    maxSeconds: state.maxCertificateSeconds,
  };
  return { stages: [[{ type: 'effect', effect: 'sign', id: 'sign', input }]] };
}

function locate({ namespace, name }: SigningCAReference, managerNamespace: string): { namespace: string; name: string } {
  return { namespace: namespace ?? managerNamespace, name };
}

function latestRefusal({ outcomes }: RegistrationState): Refusal | undefined {
  const refusals = ['approval', 'agent-identity', 'review', 'sign'].flatMap((id) => outcomes.refusal(id) ?? []);
  return refusals.sort((a, b) => b.at - a.at)[0];
}

function problemMessage(state: RegistrationState, refusal: Refusal): string {
  const { key } = state.request;
  const hint = grantHint(state, refusal);
  const step = refusal.id === 'sign' ? 'signed' : 'approved';
  return REGISTRATION_APPLIED_MESSAGES.requestRefused(key.name, step, refusal.message, hint);
}

/** Passes the message once to the add-on controller, which writes the add-on's conditions. */
function report({ request, asker, reportedProblem }: RegistrationState, message: string): readonly (readonly RegistrationEffect[])[] {
  if (asker.type !== 'add-on' || !asker.clusterAddOn || reportedProblem === message || !speaksFor(request.clusterName, request)) return [];
  const input: ReportInput = { request: request.key.name, addOn: asker.clusterAddOn.key, message };
  return [[{ type: 'effect', effect: 'report', id: 'report', input }]];
}

/**
 * Returns Events about the add-on, or about the cluster if there is no add-on. Requesters choose their own labels, so only a request by the
 * cluster's own agent or with its join token causes an Event on the cluster's objects; the denial of any other request is visible on the
 * request.
 */
function eventsFor({ request, asker }: RegistrationState, reason: string, message: string): readonly EventIntent[] {
  if (!speaksFor(request.clusterName, request)) return [];
  const add = asker.type === 'add-on' && asker.clusterAddOn ? { kind: managedClusterAddOns, projection: asker.clusterAddOn } : undefined;
  const about = add ?? (asker.cluster ? { kind: managedClusters, projection: asker.cluster } : undefined);
  if (!about) return [];
  const regarding = { kind: about.kind, key: about.projection.key, uid: about.projection.uid };
  return [{ api: HUB, regarding, type: 'Warning', reason, message }];
}
