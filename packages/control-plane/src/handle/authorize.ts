import { ApiError, parseFieldSelector, type ApiRequest } from '@outrigger/core';
import type { Query } from '../request/query.js';
import type { ResourcePath } from '../request/path.js';
import type { Attributes, Identity, Verb } from './contract.js';
import type { ServerState } from './context.js';
import { qualified } from './errors.js';

export interface ResourceQuestion {
  readonly path: ResourcePath;
  readonly verb: Verb;
  readonly identity: Identity;
  readonly query: Query;
}

/** Throws Forbidden, in the words kubectl users know, unless the authorizer allows it. */
export async function authorizeResource(server: ServerState, { path, verb, identity, query }: ResourceQuestion): Promise<void> {
  const { group, version, plural, namespace, subresource } = path;
  const name = path.name === '' ? selectedName(query) : path.name;
  // A namespace itself is asked about in its own namespace, as RBAC rules for it are written.
  const scope = group === '' && plural === 'namespaces' ? name : namespace;
  const attributes: Attributes = { identity, verb, group, version, resource: plural, subresource, namespace: scope, name };
  const decision = await server.authorize(attributes);
  if (decision.allowed) return;
  throw new ApiError('Forbidden', `${subject(path)} is forbidden: ${refusal(attributes)}${decision.reason ? `: ${decision.reason}` : ''}`, {
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural },
  });
}

/** Whoever lists or watches one object by its name needs no more rights than for that one. */
function selectedName(query: Query): string {
  const selector = query.text('fieldSelector');
  if (selector === undefined) return '';
  try {
    return parseFieldSelector(selector).exactMatch('metadata.name') ?? '';
  } catch {
    return ''; // reported when the request is read, to those who may make it
  }
}

export async function authorizeOther(server: ServerState, { method, path }: ApiRequest, identity: Identity): Promise<void> {
  const verb = method.toLowerCase();
  const empty = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  const decision = await server.authorize({ identity, verb, nonResourcePath: path, ...empty });
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
