import { type AdmissionResult, admissionReview, convertReview } from '@outrigger/api';
import { errorMessage, isJsonObject, type AdmissionRequest } from '@outrigger/core';
import type { HubAdmission } from './admission.js';

export interface WebhookResponse {
  readonly status: number;
  readonly body: unknown;
}

/** The paths of the webhooks. */
export const WEBHOOK_PATHS = { mutate: '/mutate', validate: '/validate', convert: '/convert', health: '/healthz' } as const;

/**
 * Responds to a request from an API server. The response to an invalid request contains the reason; an invalid request never crashes the
 * server.
 */
export async function respond(admission: HubAdmission, path: string, body: unknown): Promise<WebhookResponse> {
  try {
    switch (path) {
      case WEBHOOK_PATHS.health:
        return { status: 200, body: 'ok' };
      case WEBHOOK_PATHS.convert:
        return { status: 200, body: convertReview(body) };
      case WEBHOOK_PATHS.mutate:
        return await reviewed(body, (request) => Promise.resolve(admission.mutate(request)));
      case WEBHOOK_PATHS.validate:
        return await reviewed(body, (request) => admission.review(request));
      default:
        return { status: 404, body: `no webhook at ${path}` };
    }
  } catch (error) {
    return { status: 400, body: errorMessage(error) };
  }
}

async function reviewed(body: unknown, judge: (request: AdmissionRequest) => Promise<AdmissionResult>): Promise<WebhookResponse> {
  const request = isJsonObject(body) ? body['request'] : undefined;
  if (!isJsonObject(request) || typeof request['uid'] !== 'string' || !isJsonObject(request['kind'])) {
    return { status: 400, body: 'not an AdmissionReview: request.uid and request.kind are needed' };
  }
  const result = await judge(withoutNulls(request) as unknown as AdmissionRequest);
  return { status: 200, body: admissionReview(request['uid'], result) };
}

/** Removes nulls, because API servers send `object: null` on a delete and `oldObject: null` on a create. */
function withoutNulls(request: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));
}
