import { type AdmissionRequest, type UserInfo, encodeText } from '@outrigger/core';
import type { SubjectAccessReview } from '../kubernetes.js';
import type { AccessCheck, AdmissionResult } from './types.js';

/** An AdmissionReview as sent to and from the webhook. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly kind: 'AdmissionReview';
  readonly request?: AdmissionRequest & { readonly uid: string };
  readonly response?: AdmissionResponse;
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly warnings?: readonly string[];
  readonly patchType?: 'JSONPatch';
  /** The JSON patch in base64. */
  readonly patch?: string;
  readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
}

const CODES = { Invalid: 422, BadRequest: 400, Forbidden: 403 } as const;

/** Returns the access review for a required permission, with all known attributes of the writer. */
export function subjectAccessReview({ username, uid, groups, extra }: UserInfo, check: AccessCheck): SubjectAccessReview {
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user: username,
      ...(uid === undefined ? {} : { uid }),
      ...(groups ? { groups } : {}),
      ...(extra ? { extra } : {}),
      resourceAttributes: check.attributes,
    },
  };
}

/** Returns the result after the access reviews. `missing` contains the permissions that the writer lacks. */
export function withoutRights(result: AdmissionResult, missing: readonly AccessCheck[]): AdmissionResult {
  if (!result.allowed || missing.length === 0) return result;
  const reason = missing.every((check) => check.reason === 'BadRequest') ? 'BadRequest' : 'Forbidden';
  return { allowed: false, reason, message: missing.map(({ denied }) => denied).join('; ') };
}

export function admissionReview(uid: string, result: AdmissionResult): AdmissionReview {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: responseOf(uid, result) };
}

function responseOf(uid: string, result: AdmissionResult): AdmissionResponse {
  if (!result.allowed) {
    const { reason, message } = result;
    return { uid, allowed: false, status: { code: CODES[reason], reason, message } };
  }
  const { warnings, patch } = result;
  return {
    uid,
    allowed: true,
    ...(warnings ? { warnings } : {}),
    ...(patch ? { patchType: 'JSONPatch', patch: encodeText(JSON.stringify(patch)) } : {}),
  };
}
