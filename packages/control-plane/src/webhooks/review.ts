import { isJsonObject, type Json, type JsonObject } from '@outrigger/core';
import { requestFields, type Reviewed } from '../admission/reviewed.js';
import type { Phase } from './contract.js';

const VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** Returns the first review version in the webhook's list that this server supports. */
export function reviewVersion(versions: readonly string[]): string | undefined {
  return versions.find((version) => VERSIONS.includes(version));
}

export function admissionReview(uid: string, version: string, reviewed: Reviewed): JsonObject {
  const { object = null, oldObject = null } = reviewed;
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...requestFields(reviewed), object: object as Json, oldObject: oldObject as Json },
  };
}

/** The response of a webhook to a review. */
export interface Response {
  readonly allowed: boolean;
  readonly status: JsonObject | undefined;
  readonly patch: Json | undefined;
  readonly warnings: readonly string[];
}

/** Reads a response. Throws an Error with kube-apiserver's message if the response is invalid. */
export function readResponse(answer: JsonObject, { uid, version, phase }: { uid: string; version: string; phase: Phase }): Response {
  const { response } = answer;
  if (!isJsonObject(response)) throw new Error('received invalid webhook response: webhook response was absent');
  if (version === 'v1') {
    assertType(answer);
    if (response['uid'] !== uid)
      throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`);
  }
  const { status, warnings } = response;
  return {
    allowed: response['allowed'] === true,
    status: isJsonObject(status) ? status : undefined,
    patch: patchOf(response, version, phase),
    warnings: Array.isArray(warnings) ? warnings.filter((warning) => typeof warning === 'string') : [],
  };
}

function invalid(why: string): Error {
  return new Error(`received invalid webhook response: ${why}`);
}

/** Checks the type of a response. A response without a type is accepted as the requested type. */
function assertType({ apiVersion, kind }: JsonObject): void {
  if ((apiVersion ?? '') === '' && (kind ?? '') === '') return;
  if (apiVersion === 'admission.k8s.io/v1' && kind === 'AdmissionReview') return;
  const found = `${String(apiVersion)}, Kind=${String(kind)}`;
  throw invalid(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${found}`);
}

function patchOf({ patch: raw, patchType }: JsonObject, version: string, phase: Phase): Json | undefined {
  const patch = typeof raw === 'string' ? raw : '';
  const hasType = patchType !== undefined && patchType !== null;
  if (phase === 'validating') {
    if (version === 'v1' && patch !== '') throw invalid('validating webhook may not return response.patch');
    if (version === 'v1' && hasType) throw invalid('validating webhook may not return response.patchType');
    return undefined;
  }
  if (version === 'v1' && patch !== '' && !hasType) throw invalid('webhook returned response.patch but not response.patchType');
  if (version === 'v1' && patch === '' && hasType) throw invalid('webhook returned response.patchType but not response.patch');
  if (version === 'v1' && patchType === '') throw invalid('webhook returned invalid response.patchType of ""');
  if (patch === '') return undefined;
  if (hasType && patchType !== 'JSONPatch') throw new Error(`unsupported patch type ${JSON.stringify(patchType)}`);
  return decodedPatch(patch);
}

function decodedPatch(base64: string): Json {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString('utf8')) as Json;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`received undecodable patch in webhook response: ${why}`, { cause });
  }
}
