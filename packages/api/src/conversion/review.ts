import { errorMessage, isJsonObject, type KubeObject } from '@outrigger/core';
import { convertObject } from './convert.js';

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
    return { uid, convertedObjects: objects.map((object) => convertObject(object, desiredAPIVersion)), result: { status: 'Success' } };
  } catch (error) {
    return { uid, result: { status: 'Failure', message: errorMessage(error) } };
  }
}

function requestOf(review: unknown): ConversionRequest {
  const request = isJsonObject(review) ? review['request'] : undefined;
  if (!isJsonObject(request) || typeof request['uid'] !== 'string' || typeof request['desiredAPIVersion'] !== 'string') {
    throw new Error('not a ConversionReview: request.uid and request.desiredAPIVersion are needed');
  }
  if (!Array.isArray(request['objects'])) throw new Error('not a ConversionReview: request.objects must be a list');
  return request as unknown as ConversionRequest;
}
