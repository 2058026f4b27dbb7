import { asJson, ApiError, errorMessage, isJsonObject, type JsonObject, type KubeObject, typeNameOf } from '@outrigger/core';
import { fieldErrorText, validateObjectMeta } from '@outrigger/core/schema';
import { type Caller, post } from './call.js';
import type { ClientConfig } from './contract.js';

export interface ConversionWebhook {
  readonly clientConfig: ClientConfig;
  readonly conversionReviewVersions: readonly string[];
}

const TIMEOUT_SECONDS = 30;
const VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** Converts objects of one kind by webhook. Rejects with kube-apiserver's messages. */
export async function convertByWebhook(
  caller: Caller,
  { clientConfig, conversionReviewVersions }: ConversionWebhook,
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  const [first] = objects;
  if (!first) return [];
  const of = `conversion webhook for ${typeNameOf(first)}`;
  const version = conversionReviewVersions.find((candidate) => VERSIONS.includes(candidate));
  if (version === undefined) throw failed('no supported conversion review versions');
  const uid = caller.runtime.random.uuid();
  const body: JsonObject = {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: asJson(objects) },
  };
  let converted: readonly unknown[];
  try {
    converted = readConverted(await post(caller, { to: clientConfig, body, timeoutSeconds: TIMEOUT_SECONDS }), uid, version);
  } catch (cause) {
    throw failed(`${of} failed: ${errorMessage(cause)}`, cause);
  }
  if (converted.length !== objects.length) {
    throw failed(`${of} returned ${converted.length} objects, expected ${objects.length}`);
  }
  return objects.map((object, index) => {
    const problem = problemOf(object, converted[index], apiVersion);
    if (problem !== undefined) throw failed(`${of} returned invalid ${problem}`);
    return keepIdentity(converted[index] as KubeObject, object);
  });
}

/** Returns the error without a reason in its Status, as on a real server. */
function failed(message: string, cause?: unknown): ApiError {
  return new ApiError('Unknown', message, { code: 500, cause });
}

/** Returns the converted objects in a response. Throws an Error with the reason if the response is invalid. */
export function readConverted(answer: JsonObject, uid: string, version: string): readonly unknown[] {
  const { apiVersion, kind, response } = answer;
  const isTyped = (apiVersion ?? '') !== '' || (kind ?? '') !== '';
  if (version === 'v1' && isTyped && (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'ConversionReview')) {
    const found = `${String(apiVersion)}, Kind=${String(kind)}`;
    throw new Error(`expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${found}`);
  }
  if (!isJsonObject(response)) throw new Error('no response provided');
  if (version === 'v1' && response['uid'] !== uid) {
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`);
  }
  const { result, convertedObjects } = response;
  const { status, message } = isJsonObject(result) ? result : {};
  if (status !== 'Success') {
    const isExplained = typeof message === 'string' && message !== '';
    throw new Error(isExplained ? message : `response.result.status was '${String(status ?? '')}', not 'Success'`);
  }
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

/**
 * Returns the reason for which a converted object is not a valid conversion of the original, worded as the end of a sentence. Returns
 * undefined if the conversion is valid.
 */
function problemOf(original: KubeObject, converted: unknown, apiVersion: string): string | undefined {
  if (!isJsonObject(converted) || !isJsonObject(converted['metadata']))
    return `object: Object 'Kind' is missing in '${JSON.stringify(converted)}'`;
  if (converted['apiVersion'] !== apiVersion) {
    return `object at index 0: invalid groupVersion (expected ${apiVersion}, received ${String(converted['apiVersion'])})`;
  }
  if (converted['kind'] !== original.kind) {
    return `object at index 0: invalid kind (expected ${original.kind}, received ${String(converted['kind'])})`;
  }
  const { metadata } = converted;
  for (const [field, name] of IDENTITY) {
    const [expected, found] = [original.metadata[field] ?? '', metadata[field] ?? ''];
    if (found !== expected) return `object: must have the same ${name}: ${expected} != ${String(found)}`;
  }
  const { labels = {}, annotations = {} } = metadata;
  const [broken] = validateObjectMeta({ name: 'a', labels, annotations }, { namespaced: false });
  return broken && `metadata: ${fieldErrorText(broken)}`;
}

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

/**
 * Returns the converted object with the metadata of the original, except labels and annotations: a conversion may change no other metadata.
 */
export function keepIdentity(converted: KubeObject, original: KubeObject): KubeObject {
  const { labels, annotations } = converted.metadata;
  const { labels: _, annotations: __, ...metadata } = original.metadata;
  return { ...converted, metadata: { ...metadata, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) } };
}
