import { secrets } from '@outrigger/api';
import type { ApiAction, Decision, Outcomes } from '@outrigger/kube';
import type { ExaminedCertificates } from './certificates.js';
import { CLUSTER } from '../resources/apis.js';
import type { CredentialSpec, CredentialStep } from './machine.js';
import type { PendingKeyProjection } from './secrets.js';

export interface ExamineInput {
  readonly certificate: string;
}
export interface BeginInput {
  readonly spec: CredentialSpec;
}
export interface ReaddressInput {
  readonly spec: CredentialSpec;
  readonly pendingUid: string;
}
export interface AskInput {
  readonly spec: CredentialSpec;
  /** The uid of the Secret with the pending key. */
  readonly pendingUid: string;
  readonly requestName: string;
}
export interface StoreInput {
  readonly spec: CredentialSpec;
  readonly pendingUid: string;
  /** The PEM certificate in base64. */
  readonly certificate: string;
}

/** The effects of a credential's steps, and their inputs. */
export type CredentialEffects = {
  readonly examine: ExamineInput;
  readonly begin: BeginInput;
  readonly readdress: ReaddressInput;
  readonly ask: AskInput;
  readonly store: StoreInput;
};

/** Converts a step to a decision. Action ids include the credential's id, so that errors for different credentials are kept apart. */
export function stepDecision(spec: CredentialSpec, step: CredentialStep): Decision<ExaminedCertificates, CredentialEffects> {
  const id = stepId(spec, step);
  switch (step.type) {
    case 'keep':
      return { stages: [], requeueAfterMs: step.forMs };
    case 'examine':
      return { stages: [[{ type: 'effect', effect: 'examine', id, input: { certificate: step.certificate } }]] };
    case 'begin':
      return { stages: [[{ type: 'effect', effect: 'begin', id, input: { spec } }]] };
    case 'readdress':
      return { stages: [[{ type: 'effect', effect: 'readdress', id, input: { spec, pendingUid: step.pending.uid } }]] };
    case 'ask': {
      const { uid: pendingUid, requestName } = step.pending;
      return { stages: [[{ type: 'effect', effect: 'ask', id, input: { spec, pendingUid, requestName } }]] };
    }
    case 'await':
      return { stages: [] };
    case 'store': {
      const input: StoreInput = { spec, pendingUid: step.pending.uid, certificate: step.certificate };
      return { stages: [[{ type: 'effect', effect: 'store', id, input }]] };
    }
    case 'abandon':
      return { stages: [[deletePending(step.pending)]] };
    case 'hold':
      return { stages: [], ...(step.forMs === undefined ? {} : { requeueAfterMs: step.forMs }) };
  }
}

/**
 * Returns the reason why there is no new certificate: the reason to wait, or the error response to this step. Error responses to other
 * steps are ignored, because they are outdated.
 */
export function stepProblem(spec: CredentialSpec, step: CredentialStep, outcomes: Outcomes): string | undefined {
  return step.type === 'hold' ? step.why : outcomes.refusal(stepId(spec, step))?.message;
}

function stepId(spec: CredentialSpec, step: CredentialStep): string {
  return `${step.type}/${spec.id}`;
}

export function deletePending({ key, uid }: PendingKeyProjection): ApiAction {
  return {
    type: 'delete',
    id: `pending/${key.name}`,
    api: CLUSTER,
    kind: secrets,
    key,
    precondition: { uid },
    accept: ['NotFound', 'Conflict'],
  };
}
