import { ApiError, parseFieldSelector, type ApiRequest } from '@outrigger/core';
import { parsePath, type ResourcePath } from '../request/path.js';
import { Query } from '../request/query.js';
import type { Attributes, Authorizer, Identity, Verb } from './contract.js';
import type { RequestContext, ServerState } from './context.js';
import { qualified } from './errors.js';
import { verbOf } from './verb.js';

export interface ResourceQuestion {
  readonly path: ResourcePath;
  readonly verb: Verb;
  readonly identity: Identity;
  readonly query: Query;
}

function attributesOf({ path, verb, identity, query }: ResourceQuestion): Attributes {
  const { group, version, plural, subresource } = path;
  const isRead = verb === 'list' || verb === 'watch';
  // Only reads take the name from the query, because a create or deletecollection does not refer to the object that a selector names. As on a
  // real server, a watch by its path takes the name only from the path.
  const name = path.name === '' && isRead && !path.isWatch ? selectedName(query) : path.name;
  return { identity, verb, group, version, resource: plural, subresource, namespace: scopeOf(path), name };
}

/**
 * Returns the namespace of a request for RBAC. A Namespace object is in the namespace of its own name if the path contains the name; a list
 * of namespaces is cluster-scoped.
 */
function scopeOf({ group, plural, namespace, name }: ResourcePath): string {
  return group === '' && plural === 'namespaces' ? name : namespace;
}

/** Decides whether the caller may make a request. It does not need the body, so that the body of a rejected request is not read. */
export type Permits = (request: Omit<ApiRequest, 'body'>, identity: Identity) => Promise<boolean>;

export function permitsOf(authorize: Authorizer): Permits {
  return async (request, identity) => {
    const { allowed } = await authorize(questionOf(request, identity));
    return allowed;
  };
}

function questionOf(request: Omit<ApiRequest, 'body'>, identity: Identity): Attributes {
  const path = parsePath(request.path);
  if (path.type !== 'resource') return { identity, verb: request.method.toLowerCase(), nonResourcePath: request.path, ...NO_RESOURCE };
  const query = new Query(request.query);
  return attributesOf({ path, verb: verbOf(request.method, path, query), identity, query });
}

const NO_RESOURCE = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };

/** Throws Forbidden, with the message of a Kubernetes API server, if the authorizer does not allow the request. */
export async function authorizeResource(server: ServerState, { path, verb, identity, query }: ResourceQuestion): Promise<void> {
  const attributes = attributesOf({ path, verb, identity, query });
  const decision = await server.authorize(attributes);
  if (decision.allowed) return;
  const { group, resource: plural, name } = attributes;
  throw new ApiError('Forbidden', `${subject(path)} is forbidden: ${refusal(attributes)}${decision.reason ? `: ${decision.reason}` : ''}`, {
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural },
  });
}

/**
 * Authorizes a PUT or an apply that would create the object: such a request also needs the verb `create` for the object's name. As on a
 * real server, this is checked after the object has been validated and before validating admission.
 */
export async function authorizeCreation({ server, path, identity }: RequestContext): Promise<void> {
  const { group, version, plural, name } = path;
  const decision = await server.authorize({
    identity,
    verb: 'create',
    group,
    version,
    resource: plural,
    subresource: '',
    namespace: scopeOf(path),
    name,
  });
  if (decision.allowed) return;
  throw new ApiError('Forbidden', `${subject(path)} is forbidden: ${decision.reason ?? ''}`, {
    details: { name, ...(group === '' ? {} : { group }), kind: plural },
  });
}

/** Returns the name in the field selector, because a list or watch of one object by its name needs permission for that object only. */
function selectedName(query: Query): string {
  const selector = query.text('fieldSelector');
  if (selector === undefined) return '';
  try {
    return parseFieldSelector(selector).exactMatch('metadata.name') ?? '';
  } catch {
    return ''; // An invalid selector is reported later, to callers that are authorized.
  }
}

export async function authorizeNonResource(server: ServerState, { method, path }: ApiRequest, identity: Identity): Promise<void> {
  const verb = method.toLowerCase();
  const decision = await server.authorize({ identity, verb, nonResourcePath: path, ...NO_RESOURCE });
  if (decision.allowed) return;
  const reason = decision.reason ? `: ${decision.reason}` : '';
  throw new ApiError('Forbidden', `forbidden: User "${identity.user}" cannot ${verb} path "${path}"${reason}`, { details: {} });
}

function subject(path: ResourcePath): string {
  return path.name === '' ? qualified(path) : `${qualified(path)} "${path.name}"`;
}

function refusal({ identity, verb, resource, subresource, group, namespace }: Attributes): string {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return `User "${identity.user}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
}
