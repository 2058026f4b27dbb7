import type { Json, LabelSelector } from '@outrigger/core';
import type { MatchCondition } from '../admission/conditions.js';
import type { Rule } from '../admission/match.js';

/** A webhook call, ready to be sent. */
export interface WebhookCall {
  /** The URL to post to, including the query. Its host is the name that the certificate must have. */
  readonly url: string;
  /** The address to connect to instead of the URL's host, for Services. */
  readonly address?: { readonly host: string; readonly port: number };
  /** The CA certificates to trust, in PEM. If absent, the system's CA certificates are trusted. */
  readonly authorities?: string;
  readonly body: Json;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/**
 * Sends a webhook call. Resolves with the response; if there was none, rejects with a message for the client that made the request. Never
 * follows redirects.
 */
export type WebhookTransport = (call: WebhookCall, signal: AbortSignal) => Promise<WebhookAnswer>;

export interface ClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** The CA certificates: PEM in base64. */
  readonly caBundle?: string;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

/** An entry of a webhook configuration, which the server has defaulted and checked. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
}

export type Phase = 'mutating' | 'validating';
