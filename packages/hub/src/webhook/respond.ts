import { type AdmissionResult, admissionReview, convertReview } from '@outrigger/api';
import { errorMessage, isJsonObject, type AdmissionRequest } from '@outrigger/core';
import type { HubAdmission } from './admission.js';

export interface WebhookResponse {
  readonly status: number;
  readonly body: unknown;
}

/** The paths of the webhooks. */
export const WEBHOOK_PATHS = { mutate: '/mutate', validate: '/validate', convert: '/convert', health: '/healthz' } as const;

/** Returns the response to a request that is not read because of its method or the type of its body; undefined if it is read. */
export function headersProblem(method: string | undefined, contentType: string | undefined): WebhookResponse | undefined {
  if (method !== 'POST') return { status: 405, body: 'only POST is allowed' };
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return type === undefined || type === 'application/json' ? undefined : { status: 415, body: 'the body must be application/json' };
}

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
  const problem = reviewProblem(body);
  if (problem !== undefined) return { status: 400, body: `not an AdmissionReview: ${problem}` };
  const { request } = body as { readonly request: Readonly<Record<string, unknown>> };
  try {
    const result = await judge(withoutNulls(request) as unknown as AdmissionRequest);
    return { status: 200, body: admissionReview(String(request['uid']), result) };
  } catch (error) {
    // For this status, API servers show the text to the user. For 400 they do not.
    return { status: 500, body: errorMessage(error) };
  }
}

/**
 * Why a body is not a review that this server answers; undefined if the body is such a review. Without this check, a review that lacks its
 * object or its user would pass the rules that read them.
 */
function reviewProblem(body: unknown): string | undefined {
  if (!isJsonObject(body) || body['kind'] !== 'AdmissionReview' || body['apiVersion'] !== 'admission.k8s.io/v1')
    return 'kind AdmissionReview of admission.k8s.io/v1 is needed';
  const { request } = body;
  if (!isJsonObject(request) || typeof request['uid'] !== 'string' || !isJsonObject(request['kind']))
    return 'request.uid and request.kind are needed';
  const { operation, userInfo, object } = request;
  if (!OPERATIONS.includes(operation)) return `request.operation must be one of ${OPERATIONS.join(', ')}`;
  if (!isJsonObject(userInfo) || typeof userInfo['username'] !== 'string' || !Array.isArray(userInfo['groups'] ?? []))
    return 'request.userInfo must have a username, and its groups must be a list';
  if (operation !== 'DELETE' && !(isJsonObject(object) && isJsonObject(object['metadata'])))
    return `request.object with metadata is needed for ${String(operation)}`;
  return undefined;
}

const OPERATIONS: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE'];

/** Removes nulls, because API servers send `object: null` on a delete and `oldObject: null` on a create. */
function withoutNulls(request: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));
}
