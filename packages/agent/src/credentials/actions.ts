import { secrets } from '@outrigger/api';
import type { Action, Decision } from '@outrigger/kube';
import { CLUSTER } from '../resources/apis.js';
import type { CredentialSpec, CredentialStep } from './machine.js';
import type { PendingRecord } from './secrets.js';

export interface ExamineInput {
  readonly certificate: string;
}
export interface BeginInput {
  readonly spec: CredentialSpec;
}
export interface AskInput {
  readonly spec: CredentialSpec;
  readonly requestName: string;
}
export interface StoreInput {
  readonly spec: CredentialSpec;
  /** Base64 of the PEM. */
  readonly certificate: string;
}

/** Turns a step into a decision. Action ids include the credential's id, so that refusals of different credentials stay apart. */
export function stepDecision(spec: CredentialSpec, step: CredentialStep): Decision {
  const effect = (name: string, input: unknown): Action => ({ type: 'effect', effect: name, id: `${name}/${spec.id}`, input });
  switch (step.type) {
    case 'rest':
      return { stages: [], requeueAfterMs: step.forMs };
    case 'examine':
      return { stages: [[effect('examine', { certificate: step.certificate } satisfies ExamineInput)]], requeueAfterMs: 1 };
    case 'begin':
      return { stages: [[effect('begin', { spec } satisfies BeginInput)]] };
    case 'ask':
      return { stages: [[effect('ask', { spec, requestName: step.pending.requestName } satisfies AskInput)]] };
    case 'await':
      return { stages: [] };
    case 'store':
      return { stages: [[effect('store', { spec, certificate: step.certificate } satisfies StoreInput)]] };
    case 'abandon':
      return { stages: [[deletePending(step.pending)]] };
    case 'hold':
      return { stages: [], ...(step.forMs === undefined ? {} : { requeueAfterMs: step.forMs }) };
  }
}

export function deletePending({ key, uid }: PendingRecord): Action {
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
