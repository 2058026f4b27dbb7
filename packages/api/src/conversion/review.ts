import { errorMessage, isJsonObject, type KubeObject } from '@outrigger/core';
import type { ManagedClusterAddOnV1beta1 } from '../generated/addon.js';
import { convertObject } from './convert.js';
import { V1BETA1 } from './versions.js';

export interface ConversionReview {
  readonly apiVersion: string;
  readonly kind: 'ConversionReview';
  readonly request?: ConversionRequest;
  readonly response?: ConversionResponse;
}

export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

export interface ConversionResponse {
  readonly uid: string;
  readonly convertedObjects?: readonly KubeObject[];
  readonly result: { readonly status: 'Success' | 'Failure'; readonly message?: string };
}

/** Handles a ConversionReview. Returns all objects in the requested version, in order, or no objects and the reason. */
export function convertReview(review: unknown): ConversionReview {
  const request = requestOf(review);
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: respond(request) };
}

function respond({ uid, desiredAPIVersion, objects }: ConversionRequest): ConversionResponse {
  try {
    for (const object of objects) checkRegistrations(object);
    return { uid, convertedObjects: objects.map((object) => convertObject(object, desiredAPIVersion)), result: { status: 'Success' } };
  } catch (error) {
    return { uid, result: { status: 'Failure', message: errorMessage(error) } };
  }
}

/**
 * Throws if a registration of a v1beta1 object has no signer, so that nothing is stored without one. The schema rejects such an object, but
 * the CRDs of Open Cluster Management do not.
 */
function checkRegistrations(object: KubeObject): void {
  if (object.apiVersion !== V1BETA1 || object.kind !== 'ManagedClusterAddOn') return;
  const { registrations = [] } = (object as ManagedClusterAddOnV1beta1).status ?? {};
  const index = registrations.findIndex(({ type, customSigner }) => type === 'customSigner' && !customSigner);
  if (index >= 0) throw new Error(`status.registrations[${index}].customSigner: required with type customSigner`);
}

function requestOf(review: unknown): ConversionRequest {
  const request = isJsonObject(review) ? review['request'] : undefined;
  if (!isJsonObject(request) || typeof request['uid'] !== 'string' || typeof request['desiredAPIVersion'] !== 'string') {
    throw new Error('not a ConversionReview: request.uid and request.desiredAPIVersion are needed');
  }
  if (!Array.isArray(request['objects'])) throw new Error('not a ConversionReview: request.objects must be a list');
  return request as unknown as ConversionRequest;
}
