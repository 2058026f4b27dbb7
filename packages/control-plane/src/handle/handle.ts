import type { ApiResponse } from '@outrigger/core';
import { requestKind } from '../metrics/request-kind.js';
import { negotiate } from '../request/negotiate.js';
import { parsePath, type ParsedPath, type ResourcePath } from '../request/path.js';
import { Query } from '../request/query.js';
import { nonResourceResponse, servesBuiltin } from './non-resource/index.js';
import { authorizeNonResource, authorizeResource } from './authorize.js';
import type { Handle, Verb } from './contract.js';
import type { RequestContext, ServerState } from './context.js';
import { methodNotAllowed, noSuchResource } from './errors.js';
import { assertMetadataShape } from './responses/metadata-shape.js';
import { failureResponse, pageNotFound } from './status-response.js';
import { verbOf } from './verb.js';
import { answerSubresource } from './subresource.js';
import { createObject } from './verbs/create.js';
import { deleteObject } from './verbs/delete.js';
import { deleteCollection } from './verbs/delete-collection.js';
import { getObject } from './verbs/get.js';
import { listObjects } from './verbs/list.js';
import { patchObject } from './verbs/patch.js';
import { updateObject } from './verbs/update.js';
import { watchObjects } from './verbs/watch.js';
import { withWarnings } from './warnings.js';

type Answer = (context: RequestContext) => Promise<ApiResponse> | ApiResponse;

const VERBS: Readonly<Partial<Record<Verb, Answer>>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

export function createHandle(server: ServerState): Handle {
  const { requests, registry, runtime } = server;
  return async (request, identity, signal) => {
    const isMutating = request.method !== 'GET';
    const startedAt = runtime.clock.monotonic();
    requests.begin(isMutating);
    const asked: Asked = { server, request, identity, warnings: [], signal };
    let path: ParsedPath | undefined;
    let response: ApiResponse;
    try {
      path = parsePath(request.path);
      response = path.type === 'resource' ? await answerResource(asked, path) : await answerNonResource(asked);
    } catch (error) {
      response = failureResponse(error, runtime, { request, user: identity.user });
    }
    const seconds = response.events ? undefined : (runtime.clock.monotonic() - startedAt) / 1000;
    requests.end(isMutating, requestKind(registry, request, path), response.status, seconds);
    return withWarnings(asked.warnings, response);
  };
}

type Asked = Pick<RequestContext, 'server' | 'request' | 'identity' | 'warnings' | 'signal'>;

async function answerNonResource({ server, request, identity }: Asked): Promise<ApiResponse> {
  await authorizeNonResource(server, request, identity);
  return nonResourceResponse(server, request);
}

async function answerResource(asked: Asked, path: ResourcePath): Promise<ApiResponse> {
  const { server, request, identity } = asked;
  const query = new Query(request.query);
  const verb = verbOf(request.method, path, query);
  // Authorize before any lookup, so that a caller without permission does not learn which objects exist.
  await authorizeResource(server, { path, verb, identity, query });
  const resource = server.registry.find(path.group, path.version, path.plural);
  if (!resource) {
    if (servesVersion(server, path) || servesBuiltin(server, path.group)) throw noSuchResource();
    return pageNotFound();
  }
  // Negotiate before writing, because a 406 after a commit would hide that the write succeeded.
  const accepted = negotiate(request.headers?.['accept'], resource.isCustom);
  const { warnings, signal } = asked;
  const context: RequestContext = { server, request, query, identity, path, resource, accepted, warnings, signal };
  if (path.isWatch) assertWatchable(context);
  assertScope(context, verb);
  assertMetadataShape(context, verb);
  if (resource.deprecation !== undefined) context.warnings.push(resource.deprecation);
  if (path.subresource !== '') return answerSubresource(context, verb);
  const answer = VERBS[verb];
  if (!answer || !resource.verbs.includes(verb)) throw methodNotAllowed();
  return answer(context);
}

function servesVersion({ registry }: ServerState, path: ResourcePath): boolean {
  return registry.all().some(({ group, version }) => group === path.group && version === path.version);
}

/**
 * Checks a request whose path asks for a watch. Its method must be GET, and its path must not name a subresource, because subresources
 * cannot be watched.
 */
function assertWatchable({ path, request }: RequestContext): void {
  if (path.subresource !== '') throw noSuchResource();
  if (request.method !== 'GET') throw methodNotAllowed();
}

/**
 * Checks the scope of a request. The path of a cluster-scoped object must not contain a namespace. The path of a namespaced object must
 * contain one, except in lists and watches over all namespaces.
 */
function assertScope({ path, resource }: RequestContext, verb: Verb): void {
  if (!resource.namespaced && path.namespace !== '') throw noSuchResource();
  if (path.name === '' && path.subresource !== '') throw noSuchResource();
  if (path.name === '' && (verb === 'update' || verb === 'patch')) throw methodNotAllowed();
  if (!resource.namespaced || path.namespace !== '') return;
  if (path.name !== '') throw noSuchResource();
  if (verb !== 'list' && verb !== 'watch') throw methodNotAllowed();
}
