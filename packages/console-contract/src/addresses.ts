import type { Position } from './stream.js';

/**
 * The URL paths of the console's server. Every request except `POST /api/session` and `GET /open` needs the session cookie; without one the
 * response is 401. A request that makes changes also needs the header `x-outrigger-console: 1`, which forms and other sites cannot send.
 *
 * Views: `GET` of one of the paths below returns a snapshot (`views/`, `fleet.ts`), compressed if the browser accepts it, with a sequence
 * number and the epoch of the server process. `GET /api/stream?view=<address>&epoch=<epoch>&since=<sequence>&view=…` (one per tab) then
 * sends the changes (`stream.ts`). Each view has its own epoch and sequence, because the views of a page can come from different processes.
 */
export const SESSION_ADDRESS = '/api/session';
export const STREAM_ADDRESS = '/api/stream';
export const ACTION_ADDRESS = '/api/actions';
/** `GET /open?token=<one-time token>` exchanges the token that `outrigger up` prints for the cookie, then redirects to `/`. */
export const OPEN_ADDRESS = '/open';
/** Required on every request that is not a GET. */
export const WRITE_HEADER = 'x-outrigger-console';

/** Streams with more views than this, and longer URLs, are rejected. */
export const MAX_VIEWS_PER_STREAM = 8;
export const MAX_ADDRESS_LENGTH = 4_096;

/** A view that the server can compute. Its URL path also identifies it on the stream. */
export type ViewRequest =
  | { readonly view: 'fleet' }
  | { readonly view: 'summary' }
  | { readonly view: 'add-on'; readonly addOn: string }
  | { readonly view: 'rollout'; readonly addOn: string }
  | { readonly view: 'plan'; readonly addOn: string; readonly revision: number }
  | { readonly view: 'replay'; readonly addOn: string; readonly record: string }
  | { readonly view: 'cluster'; readonly cluster: string }
  | { readonly view: 'cell'; readonly cluster: string; readonly addOn: string }
  | ActivityRequest
  | ObjectRequest;

/** Activity, newest first. Every filter is optional; `before` is the `id` of the last item of the previous page. */
export interface ActivityRequest {
  readonly view: 'activity';
  readonly addOn?: string;
  readonly cluster?: string;
  readonly type?: string;
  readonly before?: string;
}

/** Any object that the user may read, as YAML. The group is empty for the core API group. Not available on a stream. */
export interface ObjectRequest {
  readonly view: 'object';
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

const SIMPLE = { fleet: '/api/fleet', summary: '/api/summary' } as const;

export function addressOf(request: ViewRequest): string {
  const part = encodeURIComponent;
  switch (request.view) {
    case 'fleet':
    case 'summary':
      return SIMPLE[request.view];
    case 'add-on':
      return `/api/addons/${part(request.addOn)}`;
    case 'rollout':
      return `/api/addons/${part(request.addOn)}/rollout`;
    case 'plan':
      return withQuery(`/api/addons/${part(request.addOn)}/plan`, { revision: String(request.revision) });
    case 'replay':
      return `/api/addons/${part(request.addOn)}/records/${part(request.record)}`;
    case 'cluster':
      return `/api/clusters/${part(request.cluster)}`;
    case 'cell':
      return `/api/clusters/${part(request.cluster)}/addons/${part(request.addOn)}`;
    case 'activity': {
      const { addOn, cluster, type, before } = request;
      return withQuery('/api/activity', { addOn, cluster, type, before });
    }
    case 'object': {
      const { group, version, resource, namespace, name } = request;
      return withQuery('/api/object', { group, version, resource, namespace, name });
    }
  }
}

/** Parses a URL path into a request. Returns undefined if no request matches; the server then responds with 404. */
export function parseAddress(address: string): ViewRequest | undefined {
  if (address.length > MAX_ADDRESS_LENGTH) return undefined;
  const [path, query] = splitOnce(address, '?');
  const parts = decodeParts(path);
  const [api, first, name, next, last] = parts ?? [];
  if (parts === undefined || api !== 'api') return undefined;
  const asked = new URLSearchParams(query);
  const get = (key: string): string | undefined => asked.get(key) ?? undefined;
  const count = parts.length;
  if (count === 2 && first === 'fleet') return { view: 'fleet' };
  if (count === 2 && first === 'summary') return { view: 'summary' };
  if (count === 2 && first === 'activity')
    return { view: 'activity', ...given({ addOn: get('addOn'), cluster: get('cluster'), type: get('type'), before: get('before') }) };
  if (count === 2 && first === 'object') return objectRequest(get);
  if (first === 'addons' && name) {
    if (count === 3) return { view: 'add-on', addOn: name };
    if (count === 4 && next === 'rollout') return { view: 'rollout', addOn: name };
    if (count === 4 && next === 'plan') return planRequest(name, get('revision'));
    if (count === 5 && next === 'records' && last) return { view: 'replay', addOn: name, record: last };
  }
  if (first === 'clusters' && name) {
    if (count === 3) return { view: 'cluster', cluster: name };
    if (count === 5 && next === 'addons' && last) return { view: 'cell', cluster: name, addOn: last };
  }
  return undefined;
}

/** Whether a stream can follow the view. An object and a plan are read once with the user's token, and a record never changes. */
export function canBeFollowed({ view }: ViewRequest): boolean {
  return view !== 'object' && view !== 'plan' && view !== 'replay';
}

/** A view that a stream follows. `since` is undefined if the browser did not send a valid position. */
export interface FollowedView {
  readonly request: ViewRequest;
  readonly since: Position | undefined;
}

export function streamAddress(views: readonly FollowedView[]): string {
  const query = views.flatMap(({ request, since }) => [
    ['view', addressOf(request)],
    ['epoch', since?.epoch ?? ''],
    ['since', String(since?.sequence ?? '')],
  ]);
  return `${STREAM_ADDRESS}?${new URLSearchParams(query).toString()}`;
}

/**
 * Parses the query of a stream's address. Returns undefined if a view does not exist or cannot be followed. Unless the query contains one
 * epoch and one sequence for each view, the positions of all views are undefined.
 */
export function parseStreamQuery(query: string): readonly FollowedView[] | undefined {
  const asked = new URLSearchParams(query);
  const [addresses, epochs, sequences] = [asked.getAll('view'), asked.getAll('epoch'), asked.getAll('since')];
  const arePaired = epochs.length === addresses.length && sequences.length === addresses.length;
  const views = addresses.flatMap((address, at): FollowedView[] => {
    const request = parseAddress(address);
    if (request === undefined || !canBeFollowed(request)) return [];
    return [{ request, since: arePaired ? positionOf(epochs[at], sequences[at]) : undefined }];
  });
  return views.length === addresses.length ? views : undefined;
}

function positionOf(epoch = '', sequence = ''): Position | undefined {
  return epoch !== '' && /^\d{1,15}$/.test(sequence) ? { epoch, sequence: Number(sequence) } : undefined;
}

function planRequest(addOn: string, revision = ''): ViewRequest | undefined {
  return /^[1-9]\d{0,8}$/.test(revision) ? { view: 'plan', addOn, revision: Number(revision) } : undefined;
}

function objectRequest(get: (key: string) => string | undefined): ObjectRequest | undefined {
  const [version, resource, name, namespace] = [get('version'), get('resource'), get('name'), get('namespace')];
  if (!version || !resource || !name) return undefined;
  return { view: 'object', group: get('group') ?? '', version, resource, name, ...given({ namespace }) };
}

function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const text = new URLSearchParams(given(query)).toString();
  return text === '' ? path : `${path}?${text}`;
}

function given(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined && field[1] !== ''));
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decodeParts(path: string): readonly string[] | undefined {
  if (!path.startsWith('/')) return undefined;
  try {
    return path.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
