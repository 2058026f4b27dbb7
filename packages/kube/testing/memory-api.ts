import {
  ApiError,
  type ApiRequest,
  type ApiResponse,
  assertNever,
  deepEqual,
  fieldsOf,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  keyOf,
  keyString,
  mergePatch,
  parseFieldSelector,
  parseLabelSelector,
  type Runtime,
  toTime,
  type Transport,
  type WatchEvent,
} from '@outrigger/core';
import { AsyncQueue } from './async-queue.js';

interface Target {
  /** The group, version and plural of the resource. */
  readonly resource: string;
  readonly apiVersion: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export type Verb = 'create' | 'update' | 'delete';

export interface MemoryApiOptions {
  readonly runtime: Runtime;
  /** Throws the error with which the server rejects a write. */
  readonly admit?: (verb: Verb, object: KubeObject) => void;
}

/**
 * A minimal API server for tests of the controller runtime. It has one sequence of resourceVersions for all kinds, optimistic locking,
 * watches and finalizers, but no schemas.
 */
export interface MemoryApi {
  readonly transport: Transport;
  /** Returns every object of the resource, sorted by key. */
  objects(resource: string): readonly KubeObject[];
  /** All writes so far. Tests replay them to check invariants. */
  readonly history: readonly { readonly resource: string; readonly event: WatchEvent }[];
  /** Simulates a compaction: watches from an earlier version get 410 (Gone). */
  compact(): void;
}

export function createMemoryApi({ runtime, admit = () => undefined }: MemoryApiOptions): MemoryApi {
  const objects = new Map<string, Map<string, KubeObject>>();
  const history: { readonly resource: string; readonly event: WatchEvent }[] = [];
  const watches = new Set<(resource: string, event: WatchEvent, before: KubeObject | undefined) => void>();
  let revision = 100;
  let compactedAt = 0;

  function kept(resource: string): Map<string, KubeObject> {
    const found = objects.get(resource) ?? new Map<string, KubeObject>();
    objects.set(resource, found);
    return found;
  }

  function commit(resource: string, type: WatchEvent['type'], object: KubeObject): KubeObject {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++revision) } };
    const id = keyString(keyOf(stored));
    const before = kept(resource).get(id);
    if (type === 'DELETED') kept(resource).delete(id);
    else kept(resource).set(id, stored);
    const event = { type, object: stored };
    history.push({ resource, event });
    for (const notify of watches) notify(resource, event, before);
    return stored;
  }

  function existing(target: Target): KubeObject {
    const found = kept(target.resource).get(idOf(target));
    if (!found) throw new ApiError('NotFound', `${target.resource} "${target.name}" not found`);
    return found;
  }

  function create(target: Target, body: KubeObject): KubeObject {
    const name = body.metadata.name ?? `${body.metadata.generateName ?? ''}${runtime.random.uuid().slice(0, 5)}`;
    const namespace = target.namespace === undefined ? {} : { namespace: target.namespace };
    const metadata = {
      ...body.metadata,
      name,
      ...namespace,
      uid: runtime.random.uuid(),
      generation: 1,
      creationTimestamp: toTime(runtime.clock.now()),
    };
    const object = { ...body, metadata };
    if (kept(target.resource).has(keyString(keyOf(object)))) {
      throw new ApiError('AlreadyExists', `${target.resource} "${name}" already exists`);
    }
    admit('create', object);
    return commit(target.resource, 'ADDED', object);
  }

  function update(target: Target, next: KubeObject): KubeObject {
    const old = existing(target);
    assertPrecondition(old, next.metadata, target.resource);
    const candidate = isStatus(target) ? withStatusOf(old, next) : next;
    const generation = (old.metadata.generation ?? 1) + (sameButStatus(old, candidate) ? 0 : 1);
    const { uid, resourceVersion, creationTimestamp, deletionTimestamp } = old.metadata;
    const metadata = { ...candidate.metadata, uid, resourceVersion, creationTimestamp, deletionTimestamp, generation };
    const object = JSON.parse(JSON.stringify({ ...candidate, metadata })) as KubeObject;
    if (deepEqual(object, old)) return old;
    admit('update', object);
    const isLast = deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    return commit(target.resource, isLast ? 'DELETED' : 'MODIFIED', object);
  }

  function patch(target: Target, request: ApiRequest): KubeObject {
    const body = request.body as JsonObject;
    const isApply = request.headers?.['content-type']?.includes('apply') === true;
    const old = isApply ? kept(target.resource).get(idOf(target)) : existing(target);
    if (!old) return create(target, body as unknown as KubeObject);
    return update(target, mergePatch<KubeObject>(old, body));
  }

  function remove(target: Target, body: JsonObject | undefined): KubeObject | JsonObject {
    const old = existing(target);
    const preconditions = body?.['preconditions'];
    if (isJsonObject(preconditions)) assertPrecondition(old, preconditions, target.resource);
    admit('delete', old);
    if ((old.metadata.finalizers ?? []).length === 0) {
      commit(target.resource, 'DELETED', old);
      return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };
    }
    if (old.metadata.deletionTimestamp !== undefined) return old;
    return commit(target.resource, 'MODIFIED', { ...old, metadata: { ...old.metadata, deletionTimestamp: toTime(runtime.clock.now()) } });
  }

  function list(target: Target, request: ApiRequest): JsonObject {
    const isWanted = selectionOf(target, request);
    const items = sortedByKey(kept(target.resource)).filter(isWanted);
    return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: String(revision) }, items: items as unknown as JsonObject[] };
  }

  function watch(target: Target, request: ApiRequest, signal: AbortSignal | undefined): AsyncIterable<WatchEvent> {
    const isWanted = selectionOf(target, request);
    const since = Number(queryOf(request, 'resourceVersion') ?? revision);
    const queue = new AsyncQueue<WatchEvent>();
    const notify = (resource: string, event: WatchEvent, before: KubeObject | undefined): void => {
      if (resource !== target.resource) return;
      const was = before !== undefined && isWanted(before);
      const is = event.type !== 'DELETED' && isWanted(event.object);
      if (is) queue.push({ type: was ? 'MODIFIED' : 'ADDED', object: event.object });
      else if (was) queue.push({ type: 'DELETED', object: event.object });
    };
    if (since < compactedAt) {
      queue.push({
        type: 'ERROR',
        object: new ApiError('Expired', `too old resource version: ${since}`).toStatus(),
      });
      queue.end();
      return queue;
    }
    replay(target.resource, since, notify);
    watches.add(notify);
    const stop = (): void => {
      watches.delete(notify);
      queue.end();
    };
    queue.onReturn = stop;
    signal?.addEventListener('abort', stop, { once: true });
    return queue;
  }

  function replay(
    resource: string,
    since: number,
    notify: (resource: string, event: WatchEvent, before: KubeObject | undefined) => void,
  ): void {
    const before = new Map<string, KubeObject>();
    for (const { resource: of, event } of history) {
      if (of !== resource) continue;
      const id = keyString(keyOf(event.object));
      if (Number(event.object.metadata.resourceVersion) > since) notify(of, event, before.get(id));
      if (event.type === 'DELETED') before.delete(id);
      else before.set(id, event.object);
    }
  }

  function answer(request: ApiRequest, signal: AbortSignal | undefined): ApiResponse {
    const target = targetOf(request.path);
    if (request.watch) return { status: 200, headers: {}, events: watch(target, request, signal) };
    return { status: request.method === 'POST' ? 201 : 200, headers: {}, body: respond(target, request) };
  }

  function respond(target: Target, request: ApiRequest): unknown {
    const body = request.body === undefined ? undefined : (JSON.parse(JSON.stringify(request.body)) as JsonObject);
    switch (request.method) {
      case 'GET':
        return target.name === undefined ? list(target, request) : existing(target);
      case 'POST':
        return create(target, body as unknown as KubeObject);
      case 'PUT':
        return update(target, body as unknown as KubeObject);
      case 'PATCH':
        return patch(target, request);
      case 'DELETE':
        return remove(target, body);
      default:
        return assertNever(request.method);
    }
  }

  return {
    transport: {
      async send(request, signal) {
        try {
          return answer(request, signal);
        } catch (error) {
          if (error instanceof ApiError) return { status: error.code, headers: {}, body: error.toStatus() };
          throw error;
        }
      },
      close: async () => undefined,
    },
    objects: (resource) => sortedByKey(kept(resource)),
    history,
    compact() {
      compactedAt = revision;
    },
  };
}

function targetOf(path: string): Target {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const isCore = parts[0] === 'api';
  const apiVersion = isCore ? (parts[1] ?? '') : `${parts[1]}/${parts[2]}`;
  const rest = parts.slice(isCore ? 2 : 3);
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [plural, name, subresource] = isNamespaced ? rest.slice(2) : rest;
  return { resource: `${apiVersion}/${plural}`, apiVersion, namespace: isNamespaced ? rest[1] : undefined, name, subresource };
}

function idOf({ namespace, name = '' }: Target): string {
  return keyString(namespace === undefined ? { name } : { namespace, name });
}

function isStatus(target: Target): boolean {
  return target.subresource === 'status';
}

function withStatusOf(old: KubeObject, next: KubeObject): KubeObject {
  return { ...old, status: (next as unknown as JsonObject)['status'] } as KubeObject;
}

function sameButStatus(a: KubeObject, b: KubeObject): boolean {
  const spec = (object: KubeObject): object => ({ ...object, metadata: undefined, status: undefined });
  return deepEqual(spec(a), spec(b));
}

function assertPrecondition(old: KubeObject, wanted: { readonly uid?: string; readonly resourceVersion?: string }, resource: string): void {
  const { uid, resourceVersion, name } = old.metadata;
  if (wanted.uid !== undefined && wanted.uid !== uid)
    throw new ApiError('Conflict', `${resource} "${name}": the uid is ${uid}, not ${wanted.uid}`);
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    throw new ApiError('Conflict', `${resource} "${name}": the object has been modified`);
  }
}

function selectionOf(target: Target, request: ApiRequest): (object: KubeObject) => boolean {
  const labels = parseLabelSelector(queryOf(request, 'labelSelector') ?? '');
  const fields = parseFieldSelector(queryOf(request, 'fieldSelector') ?? '');
  return (object) => {
    if (target.namespace !== undefined && object.metadata.namespace !== target.namespace) return false;
    return labels.matches(object.metadata.labels) && fields.matches(fieldsOf(object));
  };
}

function queryOf(request: ApiRequest, name: string): string | undefined {
  const value = request.query?.[name];
  return typeof value === 'string' ? value : value?.[0];
}

function sortedByKey(objects: ReadonlyMap<string, KubeObject>): readonly KubeObject[] {
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}
