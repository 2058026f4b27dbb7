import { clipText, errorMessage, objectOrEmpty, parseJson } from '@outrigger/core';
import type { ProviderAnswer, Series } from '@outrigger/rules/policy';

/** Sends one HTTP request and returns the response. Fails if there is no response within the limits. */
export type SendQuery = (
  request: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: string }>;

/** A source of metrics. A failed query returns an answer with a problem; it never throws. */
export interface MetricsProvider {
  /** Returns the values now, or at a time in milliseconds since the epoch. */
  query(text: string, at: number | undefined, signal: AbortSignal): Promise<ProviderAnswer>;
}

export interface PrometheusOptions {
  /** Address of the server. It may include a path, for example behind a proxy. */
  readonly url: string;
  /** Reads the bearer token to send; if undefined, no token is sent. */
  readonly token?: (() => Promise<string>) | undefined;
  readonly send: SendQuery;
}

/** Sends instant queries through the HTTP API of Prometheus, which Thanos, Mimir and VictoriaMetrics also implement. */
export function prometheusProvider({ url, token, send }: PrometheusOptions): MetricsProvider {
  return {
    async query(text, at, signal) {
      try {
        const authorization = token ? { authorization: `Bearer ${await token()}` } : {};
        const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...authorization };
        const form = new URLSearchParams({ query: text, ...(at === undefined ? {} : { time: String(at / 1000) }) });
        const response = await send({ url: `${url.replace(/\/$/, '')}/api/v1/query`, headers, body: form.toString() }, signal);
        return answerOf(response.status, response.body);
      } catch (error) {
        return { problem: `the provider did not answer: ${shortened(errorMessage(error))}` };
      }
    },
  };
}

interface QueryResponse {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly data?: { readonly resultType?: unknown; readonly result?: unknown };
}

/** Reads the response to an instant query. */
function answerOf(status: number, body: string): ProviderAnswer {
  // The body may be HTML from a proxy. Then the message contains only the HTTP status.
  const parsed: QueryResponse = objectOrEmpty(parseJson(body));
  if (status !== 200 || parsed.status !== 'success') {
    const reason = typeof parsed.error === 'string' ? `: ${shortened(parsed.error)}` : '';
    return { problem: `the provider answered with status ${status}${reason}` };
  }
  const { resultType, result } = parsed.data ?? {};
  const items = resultType === 'scalar' ? [{ metric: {}, value: result }] : resultType === 'vector' ? result : undefined;
  if (!Array.isArray(items)) return { problem: 'the query must return a vector or a scalar' };
  const series = items.map(seriesOf);
  const known = series.filter((one) => one !== undefined);
  return known.length === series.length ? { series: known } : { problem: 'the provider answered with a series without a value' };
}

function seriesOf(item: unknown): Series | undefined {
  const { metric, value } = (item ?? {}) as { readonly metric?: unknown; readonly value?: unknown };
  if (typeof metric !== 'object' || metric === null || !Array.isArray(value) || typeof value[1] !== 'string') return undefined;
  const labels = Object.fromEntries(Object.entries(metric).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  return { labels, value: numberOf(value[1]) };
}

/** Prometheus writes infinities as `+Inf` and `-Inf`. */
function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  return text.trim() === '' ? Number.NaN : Number(text);
}

const MAX_REASON = 200;

/** Shortens a provider's text to one line without control characters, because it becomes part of a status. */
function shortened(text: string): string {
  return clipText(text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim(), MAX_REASON);
}
