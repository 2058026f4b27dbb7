import { errorMessage, isJsonObject, type JsonObject, type Runtime } from '@outrigger/core';
import type { ClientConfig, WebhookAnswer, WebhookTransport } from './contract.js';
import { addressOf, type ServiceLookup, urlOf } from './destination.js';

/** The dependencies of webhook calls. */
export interface Caller {
  readonly runtime: Runtime;
  readonly transport: WebhookTransport;
  readonly services: ServiceLookup;
}

export interface Post {
  readonly to: ClientConfig;
  readonly body: JsonObject;
  readonly timeoutSeconds: number;
}

/** Posts a review and reads the response. Rejects with the error message that Go's client would give, because users search for it. */
export async function post({ runtime, transport, services }: Caller, { to, body, timeoutSeconds }: Post): Promise<JsonObject> {
  const url = urlOf(to, timeoutSeconds);
  const attempt = async (signal: AbortSignal): Promise<WebhookAnswer> =>
    transport(
      {
        url,
        ...(to.service ? { address: addressOf(to.service, services) } : {}),
        ...(to.caBundle ? { authorities: Buffer.from(to.caBundle, 'base64').toString('utf8') } : {}),
        body,
      },
      signal,
    );
  let answer: WebhookAnswer;
  try {
    answer = await withDeadline(runtime, timeoutSeconds * 1000, attempt);
  } catch (cause) {
    throw new Error(`Post ${JSON.stringify(url)}: ${errorMessage(cause)}`, { cause });
  }
  return read(answer);
}

/** Runs an action and rejects after `timeoutMs`, even if the transport ignores its signal. */
async function withDeadline<T>(runtime: Runtime, timeoutMs: number, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let cancel = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = runtime.timers.after(timeoutMs, () => {
      const error = new Error('context deadline exceeded');
      reject(error);
      controller.abort(error);
    });
  });
  try {
    return await Promise.race([action(controller.signal), late]);
  } finally {
    cancel();
  }
}

function read({ status, contentType, text }: WebhookAnswer): JsonObject {
  if (status < 200 || status > 206) throw new Error(statusProblem(status, contentType.startsWith('text/') ? text.trim() : 'unknown'));
  if (text === '') throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`couldn't get version/kind; json parse error: ${errorMessage(cause)}`, { cause });
  }
  if (!isJsonObject(value)) throw new Error(`couldn't get version/kind; json parse error: the answer is no object`);
  return value;
}

const STATUS_PROBLEMS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  406: 'the server was unable to respond with a content type that the client supports',
  415: 'the server was unable to respond with a content type that the client supports',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

function statusProblem(status: number, text: string): string {
  if (status === 403) return text;
  const known = STATUS_PROBLEMS[status];
  if (known !== undefined) return known;
  if (status >= 500) return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
