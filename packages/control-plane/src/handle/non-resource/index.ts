import type { ApiRequest, ApiResponse } from '@outrigger/core';
import { EXPOSITION_TYPE } from '../../metrics/exposition.js';
import { serverMetrics } from '../../metrics/server-metrics.js';
import { answerOpenApi } from '../../openapi/answer.js';
import { Query } from '../../request/query.js';
import type { ServerState } from '../context.js';
import type { NonResourceDocument } from '../contract.js';
import { methodNotAllowed, noSuchResource } from '../errors.js';
import { bodyResponse, plainResponse } from '../responses/respond.js';
import { pageNotFound } from '../status-response.js';
import { aggregated, aggregatedForm } from './aggregated-discovery.js';
import { coreVersions, discover, groupList, groupOf, resourceList, type Discovery } from './discovery.js';
import { VERSION } from './version.js';

const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
const discoveries = new WeakMap<object, { readonly generation: number; readonly discovery: Discovery }>();

/** Handles requests that do not refer to an object: version, discovery, health. */
export async function nonResourceResponse(server: ServerState, request: ApiRequest): Promise<ApiResponse> {
  const path = request.path.length > 1 ? request.path.replace(/\/+$/, '') : request.path;
  const isHealth = HEALTH.has(path) || [...HEALTH].some((prefix) => path.startsWith(`${prefix}/`));
  const body = isHealth ? undefined : await bodyFor(server, path, request);
  if (!isHealth && body === undefined) {
    const [, root, group = ''] = path.split('/');
    if (root === 'api' || (root === 'apis' && group !== '' && servesBuiltin(server, group))) throw noSuchResource();
    return pageNotFound();
  }
  if (request.method !== 'GET') throw methodNotAllowed();
  if (isHealth) return text(new Query(request.query).has('verbose') ? verboseHealth(path) : 'ok');
  return body as ApiResponse;
}

/** Whether the server has built-in kinds of a group. A version that such a group lacks is answered with a Status instead of a text. */
export function servesBuiltin({ registry }: ServerState, group: string): boolean {
  return registry.all().some((resource) => resource.group === group && !resource.isCustom);
}

async function bodyFor(server: ServerState, path: string, request: ApiRequest): Promise<ApiResponse | undefined> {
  const discovery = discoveryOf(server);
  const [, first = '', second = '', third = ''] = path.split('/');
  switch (first) {
    case '':
      return path !== '/' ? undefined : bodyResponse({ paths: rootPaths(discovery, Object.keys(server.documents)) });
    case 'version':
      return second === '' ? bodyResponse(VERSION) : undefined;
    case 'api':
      return second === '' ? listing(discovery, request, true) : optional(request, resourceList(discovery, '', second));
    case 'apis':
      if (second === '') return third === '' ? listing(discovery, request, false) : undefined;
      return optional(request, third === '' ? groupOf(discovery, second) : resourceList(discovery, second, third));
    case 'metrics':
      return second === '' ? text(serverMetrics(server), EXPOSITION_TYPE) : undefined;
    case 'openapi':
      return answerOpenApi(server.openApi, request);
    default:
      return Object.hasOwn(server.documents, path) ? document(server.documents[path] as NonResourceDocument) : undefined;
  }
}

function listing(discovery: Discovery, request: ApiRequest, isCore: boolean): ApiResponse {
  const form = aggregatedForm(request.headers?.['accept']);
  if (form) return bodyResponse(aggregated(discovery, form.version, isCore), 200, form.contentType);
  return plainResponse(request, isCore ? coreVersions(discovery) : groupList(discovery));
}

/**
 * Returns a health response in which every check is ok. Nothing is checked at this point, because the server accepts no requests before all
 * checks have succeeded.
 */
function verboseHealth(path: string): string {
  const [, probe = ''] = path.split('/');
  return `[+]ping ok\n[+]store ok\n${probe} check passed\n`;
}

function optional(request: ApiRequest, body: object | undefined): ApiResponse | undefined {
  return body && plainResponse(request, body);
}

/** Returns a document that any program may cache, because only a new key of the server changes it. */
function document({ body, contentType }: NonResourceDocument): ApiResponse {
  return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' }, body };
}

function text(body: string, contentType = 'text/plain; charset=utf-8'): ApiResponse {
  return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-cache, private' }, body };
}

function rootPaths({ groups }: Discovery, documents: readonly string[]): string[] {
  const apis = groups.flatMap(({ name, versions }) => {
    const root = name === '' ? '/api' : `/apis/${name}`;
    return [root, ...versions.map(({ version }) => `${root}/${version}`)];
  });
  return [...apis, ...documents, '/apis', '/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3', '/readyz', '/version'].sort();
}

/** Returns the discovery documents, which are rebuilt only after the served resources have changed. */
function discoveryOf({ registry }: ServerState): Discovery {
  const known = discoveries.get(registry);
  if (known?.generation === registry.generation) return known.discovery;
  const discovery = discover(registry.all());
  discoveries.set(registry, { generation: registry.generation, discovery });
  return discovery;
}
