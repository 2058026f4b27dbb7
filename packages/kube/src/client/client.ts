import {
  ApiError,
  type ApiRequest,
  type ApiResponse,
  type ApiStatus,
  apiVersionOf,
  collectionPath,
  type Json,
  type Kind,
  type KubeList,
  type KubeObject,
  keyOf,
  type ObjectKey,
  objectPath,
  requireNamespace,
  type Runtime,
  type Transport,
  type WatchEvent,
  type Metrics,
  noMetrics,
} from '@outrigger/core';
import { ACCEPT, PATCH_TYPES } from './accept.js';
import { createDiscovery } from './discovery.js';
import { listQuery, selectionQuery, watchQuery, writeQuery } from './query.js';
import { createSend, DEFAULT_LIMITS, type Limits } from './send.js';
import type { Client, DeleteOptions, ListOptions, RequestOptions, Table, WriteOptions } from './types.js';

export interface ClientConfig {
  readonly transport: Transport;
  readonly runtime: Runtime;
  /** The client's name in the server's audit log. If a write has no field manager, the server uses this name. */
  readonly userAgent?: string;
  /** The default field manager of every write. */
  readonly fieldManager?: string;
  readonly limits?: Partial<Limits>;
  readonly metrics?: Metrics;
}

const DEFAULT_USER_AGENT = 'outrigger';
const DEFAULT_PAGE = 500;

interface Call extends Pick<ApiRequest, 'method' | 'path' | 'query' | 'body' | 'watch' | 'gatherMs'> {
  readonly verb: string;
  readonly resource: string;
  readonly accept?: string;
  readonly contentType?: string;
  /** The user whom the request impersonates. */
  readonly asUser?: string | undefined;
}

/** Sends a request and resolves with the response. */
type Exchange = (call: Call, options: RequestOptions) => Promise<ApiResponse>;

export function createClient(config: ClientConfig): Client {
  const limits = { ...DEFAULT_LIMITS, ...config.limits };
  const send = createSend({ transport: config.transport, runtime: config.runtime, limits, metrics: config.metrics ?? noMetrics });
  const agent = { 'user-agent': config.userAgent ?? DEFAULT_USER_AGENT };

  function exchange(
    { verb, resource, accept = ACCEPT.json, contentType, asUser, ...request }: Call,
    options: RequestOptions,
  ): Promise<ApiResponse> {
    const headers = {
      accept,
      ...agent,
      ...(contentType ? { 'content-type': contentType } : {}),
      ...(asUser === undefined ? {} : { 'impersonate-user': asUser }),
    };
    return send({ ...request, headers }, { verb, resource, signal: options.signal, timeoutMs: options.timeoutMs });
  }

  const client: Client = {
    ...readMethods(exchange),
    ...writeMethods(exchange, config.fieldManager),

    raw(request, options = {}) {
      const headers = { ...agent, accept: ACCEPT.json, ...request.headers };
      const labels = { verb: request.method.toLowerCase(), resource: 'raw' };
      return send({ ...request, headers }, { ...labels, signal: options.signal, timeoutMs: options.timeoutMs ?? request.timeoutMs });
    },

    discovery: createDiscovery({
      get: (path, accept) => client.raw({ method: 'GET', path, headers: { accept } }),
      clock: config.runtime.clock,
    }),
  };
  return client;
}

function readMethods(exchange: Exchange): Pick<Client, 'get' | 'list' | 'listAll' | 'table' | 'watch'> {
  async function listPage<T extends KubeObject>(kind: Kind<T>, options: ListOptions): Promise<KubeList<T>> {
    const response = await exchange(
      {
        verb: 'list',
        resource: kind.plural,
        method: 'GET',
        path: collectionPath(kind, options.namespace),
        query: listQuery(options),
        ...(options.metadataOnly ? { accept: ACCEPT.metadataList } : {}),
      },
      options,
    );
    return listOf<T>(kind, response);
  }

  async function* pages<T extends KubeObject>(kind: Kind<T>, options: ListOptions): AsyncGenerator<T> {
    let token = options.continue;
    do {
      const page = await listPage(kind, { limit: DEFAULT_PAGE, ...options, ...(token ? { continue: token } : {}) });
      yield* page.items;
      token = page.metadata.continue;
    } while (token);
  }

  return {
    async get(kind, key, options = {}) {
      const { resourceVersion, subresource } = options;
      const response = await exchange(
        {
          verb: 'get',
          resource: kind.plural,
          method: 'GET',
          path: objectPath(kind, { ...key, subresource }),
          ...(resourceVersion === undefined ? {} : { query: { resourceVersion } }),
          ...(options.metadataOnly ? { accept: ACCEPT.metadata } : {}),
        },
        options,
      );
      return bodyOf(response);
    },

    list: (kind, options = {}) => listPage(kind, options),
    listAll: (kind, options = {}) => pages(kind, options),

    async table(kind, options = {}) {
      const path = collectionPath(kind, options.namespace);
      const response = await exchange(
        { verb: 'list', resource: kind.plural, method: 'GET', path, query: listQuery(options), accept: ACCEPT.table },
        options,
      );
      return response.body as Table;
    },

    async *watch<T extends KubeObject>(kind: Kind<T>, options: Parameters<Client['watch']>[1] = {}): AsyncGenerator<WatchEvent<T>> {
      const response = await exchange(
        {
          verb: 'watch',
          resource: kind.plural,
          method: 'GET',
          path: collectionPath(kind, options.namespace),
          query: watchQuery(options),
          watch: true,
          ...(options.gatherMs === undefined ? {} : { gatherMs: options.gatherMs }),
          ...(options.metadataOnly ? { accept: ACCEPT.metadata } : {}),
        },
        options,
      );
      if (!response.events) throw new Error(`${kind.kind}: the server answered a watch with a single value`);
      yield* response.events as AsyncIterable<WatchEvent<T>>;
    },
  };
}

function writeMethods(
  exchange: Exchange,
  fieldManager: string | undefined,
): Pick<Client, 'create' | 'createSubresource' | 'replace' | 'patch' | 'apply' | 'delete' | 'deleteCollection'> {
  async function write<T extends KubeObject>(
    kind: Kind,
    request: Omit<Call, 'resource'>,
    options: RequestOptions & Pick<WriteOptions, 'asUser'>,
  ): Promise<T> {
    return bodyOf(await exchange({ resource: kind.plural, contentType: ACCEPT.json, ...request, asUser: options.asUser }, options));
  }

  return {
    async create(kind, object, options = {}) {
      const { namespace, name } = object.metadata;
      requireNamespace(kind, { namespace, name });
      const path = collectionPath(kind, namespace);
      return write(kind, { verb: 'create', method: 'POST', path, query: writeQuery(options, fieldManager), body: object }, options);
    },

    async createSubresource(kind, key, subresource, object, options = {}) {
      const path = objectPath(kind, { ...key, subresource });
      return write(kind, { verb: 'create', method: 'POST', path, query: writeQuery(options, fieldManager), body: object }, options);
    },

    async replace(kind, object, options = {}) {
      const path = pathOfWrite(kind, keyOf(object), options);
      return write(kind, { verb: 'update', method: 'PUT', path, query: writeQuery(options, fieldManager), body: object }, options);
    },

    async patch(kind, key, { type, patch }, options = {}) {
      const path = pathOfWrite(kind, key, options);
      const query = writeQuery(options, fieldManager);
      const body = patch as Json;
      return write(kind, { verb: 'patch', method: 'PATCH', path, query, body, contentType: PATCH_TYPES[type] }, options);
    },

    async apply(kind, object, options = {}) {
      const path = pathOfWrite(kind, keyOf(object), options);
      const query = writeQuery(options, fieldManager);
      if (query['fieldManager'] === undefined) throw new Error(`${kind.kind} ${object.metadata.name}: an apply needs a field manager`);
      return write(kind, { verb: 'apply', method: 'PATCH', path, query, body: object, contentType: PATCH_TYPES.apply }, options);
    },

    async delete<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<T | ApiStatus> {
      const body = deleteBody(options);
      return write<T>(kind, { verb: 'delete', method: 'DELETE', path: objectPath(kind, key), body }, options);
    },

    async deleteCollection(kind, options = {}) {
      const path = collectionPath(kind, options.namespace);
      const query = selectionQuery(options);
      await write(kind, { verb: 'deletecollection', method: 'DELETE', path, query, body: deleteBody(options) }, options);
    },
  };
}

function pathOfWrite(kind: Kind, key: ObjectKey, { subresource }: WriteOptions): string {
  return objectPath(kind, { ...key, subresource });
}

function bodyOf<T>(response: ApiResponse): T {
  return response.body as T;
}

/** Completes a list, because servers omit apiVersion and kind in the items of built-in lists and send null instead of an empty list. */
function listOf<T extends KubeObject>(kind: Kind<T>, response: ApiResponse): KubeList<T> {
  const list = response.body as (Omit<KubeList<T>, 'items'> & { readonly items?: readonly T[] | null }) | undefined;
  if (list?.items === undefined) throw new ApiError('InternalError', `${kind.plural}: the server answered a list without items`);
  const items = (list.items ?? []).map((item) => (item.kind ? item : { ...item, apiVersion: apiVersionOf(kind), kind: kind.kind }));
  return { ...list, metadata: list.metadata ?? {}, items };
}

function deleteBody(options: DeleteOptions): Json {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(options.precondition ? { preconditions: { ...options.precondition } } : {}),
    ...(options.propagation ? { propagationPolicy: options.propagation } : {}),
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
  };
}
