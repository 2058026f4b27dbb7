import {
  ACTION_ADDRESS,
  type FollowedView,
  MAX_VIEWS_PER_STREAM,
  OPEN_ADDRESS,
  SESSION_ADDRESS,
  STREAM_ADDRESS,
  type Session as SessionView,
  type ViewAnswer,
  type ViewError,
  type ViewRequest,
  parseAddress,
  parseStreamQuery,
} from '@outrigger/console-contract';
import { type Runtime, errorMessage, isApiError, isJsonObject, parseJson } from '@outrigger/core';
import { perform } from '../actions.js';
import { parseAction } from '../parse-action.js';
import type { Authentication } from '../sessions/authentication.js';
import type { Session } from '../sessions/sessions.js';
import { type Assets, asset } from './assets.js';
import { SECURITY_HEADERS, guard, guardWrite } from './guard.js';
import { type HttpAnswer, type HttpRequest, type Sink, ViewFailure, failure, json } from './messages.js';

export interface AppOptions {
  readonly runtime: Runtime;
  readonly authentication: Authentication;
  readonly assets: Assets;
  /** Accepted Host headers in lower case, with the port unless it is the default port. */
  readonly hosts: () => readonly string[];
  readonly hubName: string;
  readonly version: string;
  /** Returns the reason why the views cannot be served yet, or undefined if they can be served. */
  readonly notReady: () => string | undefined;
  readonly epoch: string;
  readonly sequence: () => number;
  readonly view: (session: Session, request: ViewRequest) => Promise<string>;
  /** Whether the user has too many open streams to start another. */
  readonly hasTooManyStreams: (session: Session) => boolean;
  readonly stream: (
    session: Session,
    refresh: () => Promise<Session | undefined>,
    views: readonly FollowedView[],
    sink: Sink,
  ) => () => void;
}

/** Handles every request of the console; never rejects. */
export type App = (request: HttpRequest) => Promise<HttpAnswer>;

export function createApp(options: AppOptions): App {
  const { runtime, authentication } = options;
  return async (request) => {
    const answer = await route(options, request).catch((error: unknown) => {
      const { code, message } = errorOf(error);
      if (code === 'failed') runtime.log.warn({ url: request.url.split('?', 1)[0], error: errorMessage(error) }, 'console request failed');
      return failure(code, message);
    });
    const secure = authentication.mode === 'hub' ? { 'strict-transport-security': 'max-age=31536000' } : {};
    return { ...answer, headers: { ...SECURITY_HEADERS, ...secure, ...answer.headers } };
  };
}

async function route(options: AppOptions, request: HttpRequest): Promise<HttpAnswer> {
  const path = request.url.split('?', 1)[0] ?? '/';
  // Skip the Host check, because kubelet probes use the pod's IP address as the host. The response contains no fleet data.
  if (path === '/healthz') return text(200, 'ok\n');
  if (path === '/readyz') {
    const problem = options.notReady();
    return problem === undefined ? text(200, 'ok\n') : text(503, `${problem}\n`);
  }
  const refused = guard(request, options.hosts());
  if (refused) return refused;
  if (path.startsWith('/api/') || path === '/api') return api(options, request, path);
  const refusedWrite = guardWrite(request);
  if (refusedWrite) return refusedWrite;
  if (path === OPEN_ADDRESS) return open(options, request);
  if (request.method !== 'GET' && request.method !== 'HEAD') return failure('bad-request', 'this address can only be read');
  return asset(options.assets, request.url);
}

/**
 * Handles the one-time URL. A prefetch by the browser does not invalidate the URL. A browser with a session is redirected to the console,
 * because users may click the URL in their terminal more than once.
 */
async function open({ authentication }: AppOptions, request: HttpRequest): Promise<HttpAnswer> {
  const { method, url, headers } = request;
  if (method !== 'GET' || headers['sec-purpose']?.includes('prefetch') || headers['purpose'] === 'prefetch')
    return failure('bad-request', 'open this address in a browser');
  const token = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('token') ?? '';
  const toTheFleet = { location: '/', 'cache-control': 'no-store' };
  if ((await authentication.sessionOf(request)) !== undefined) return { status: 303, headers: toTheFleet, body: '' };
  const cookie = authentication.open(token);
  if (cookie === undefined) return text(401, 'This address was used already or is not valid. `outrigger console` prints a new one.\n');
  return { status: 303, headers: { ...toTheFleet, 'set-cookie': cookie }, body: '' };
}

async function api(options: AppOptions, request: HttpRequest, path: string): Promise<HttpAnswer> {
  const { authentication } = options;
  const refusedWrite = guardWrite(request);
  if (path === SESSION_ADDRESS && request.method === 'POST') return refusedWrite ?? signIn(authentication, request);
  const session = await authentication.sessionOf(request);
  if (session === undefined) return unauthorized(authentication, request);
  if (refusedWrite) return refusedWrite;
  if (path === SESSION_ADDRESS && request.method === 'DELETE')
    return { status: 204, headers: { 'set-cookie': await authentication.signOut(request), 'cache-control': 'no-store' }, body: '' };
  if (path === ACTION_ADDRESS && request.method === 'POST') {
    const dryRun = new URLSearchParams(request.url.slice(path.length + 1)).get('dryRun') === 'true';
    const now = options.runtime.clock.now();
    return json(200, await perform(session.client, parseAction(request.body), { dryRun, now }));
  }
  if (request.method !== 'GET') return failure('bad-request', 'there is no such action');
  if (path === SESSION_ADDRESS) return json(200, sessionView(options, session));
  const problem = options.notReady();
  if (problem !== undefined) return failure('not-ready', problem, { 'retry-after': '1' });
  if (path === STREAM_ADDRESS) return stream(options, request, session);
  const view = parseAddress(request.url);
  if (view === undefined) return failure('not-found', 'there is no such view');
  return answerView(options, session, view);
}

async function answerView(options: AppOptions, session: Session, view: ViewRequest): Promise<HttpAnswer> {
  // Read the sequence number before computing the view. If a change happens in between, the stream sends the change even if the view
  // already contains it, which is harmless.
  const sequence = options.sequence();
  const data = await options.view(session, view);
  const head = JSON.stringify({ epoch: options.epoch, sequence } satisfies Omit<ViewAnswer, 'data'>);
  const answer = json(200, {});
  return { ...answer, body: view.view === 'fleet' ? data : `${head.slice(0, -1)},"data":${data}}` };
}

async function signIn(authentication: Authentication, { body }: HttpRequest): Promise<HttpAnswer> {
  const value = parseJson(body);
  const token = isJsonObject(value) ? value['token'] : undefined;
  if (typeof token !== 'string') return failure('bad-request', 'token must be a text');
  const cookie = authentication.mode === 'hub' ? await authentication.signIn(token.trim()) : authentication.open(token.trim());
  if (cookie === undefined) return failure('unauthorized', 'the hub does not accept this token');
  return { status: 204, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' }, body: '' };
}

/** Headers in which proxies name a user. They are ignored, because a request needs a token. */
const NAME_HEADERS = ['x-forwarded-user', 'x-remote-user', 'x-auth-request-user', 'x-forwarded-email', 'remote-user', 'impersonate-user'];

function unauthorized({ mode }: Authentication, { headers }: HttpRequest): HttpAnswer {
  if (mode === 'laptop') return failure('not-opened', 'open the address that `outrigger console` or `outrigger up` prints');
  if (headers['authorization'] !== undefined)
    return failure('unauthorized', 'the hub does not accept the token in the Authorization header');
  if (NAME_HEADERS.some((name) => headers[name] !== undefined))
    return failure('unauthorized', 'the proxy sends a user name without a token: let it pass the token on in the Authorization header');
  return failure('unauthorized', 'sign in with a token of the hub');
}

function stream(options: AppOptions, request: HttpRequest, session: Session): HttpAnswer {
  const views = parseStreamQuery(request.url.slice(STREAM_ADDRESS.length + 1));
  if (views === undefined) return failure('bad-request', 'one of the views cannot be followed');
  if (views.length === 0 || views.length > MAX_VIEWS_PER_STREAM)
    return failure('bad-request', `a stream follows 1 to ${MAX_VIEWS_PER_STREAM} views`);
  if (options.hasTooManyStreams(session)) return failure('not-ready', 'you have too many pages of the console open: close some');
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    stream: (sink) => options.stream(session, () => options.authentication.sessionOf(request), views, sink),
  };
}

function sessionView({ authentication, hubName, version }: AppOptions, { identity, sight, mayChangeAddOns }: Session): SessionView {
  const { mayChangeRollouts, mayDecide } = sight;
  const { user, groups } = identity;
  return { mode: authentication.mode, user, groups, hub: hubName, version, mayChangeRollouts, mayChangeAddOns, mayDecide };
}

/** Converts a failure to the error that is sent to the browser. */
export function errorOf(error: unknown): ViewError {
  if (error instanceof ViewFailure) return { code: error.code, message: error.message };
  if (isApiError(error, 'Unauthorized'))
    return { code: 'unauthorized', message: 'the hub does not accept your token any more: sign in again' };
  if (isApiError(error, 'Forbidden')) return { code: 'forbidden', message: error.message };
  if (isApiError(error, 'NotFound')) return { code: 'not-found', message: error.message };
  if (isApiError(error, 'Conflict') || isApiError(error, 'AlreadyExists')) return { code: 'conflict', message: error.message };
  if (isApiError(error, 'Invalid') || isApiError(error, 'BadRequest')) return { code: 'bad-request', message: error.message };
  return { code: 'failed', message: `the hub did not answer as expected: ${errorMessage(error)}` };
}

function text(status: number, body: string): HttpAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }, body };
}
