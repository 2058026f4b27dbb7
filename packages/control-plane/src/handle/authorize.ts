import { ApiError, type ApiRequest } from '@outrigger/core';
import type { ResourcePath } from '../request/path.js';
import type { Attributes, Identity, Verb } from './contract.js';
import type { ServerState } from './context.js';
import { qualified } from './errors.js';

export interface ResourceQuestion {
  readonly path: ResourcePath;
  readonly verb: Verb;
  readonly identity: Identity;
}

/** Throws Forbidden, in the words kubectl users know, unless the authorizer allows it. */
export async function authorizeResource(server: ServerState, { path, verb, identity }: ResourceQuestion): Promise<void> {
  const { group, version, plural, namespace, name, subresource } = path;
  // A namespace itself is asked about in its own namespace, as RBAC rules for it are written.
  const scope = group === '' && plural === 'namespaces' ? name : namespace;
  const attributes: Attributes = { identity, verb, group, version, resource: plural, subresource, namespace: scope, name };
  const decision = await server.authorize(attributes);
  if (decision.allowed) return;
  throw new ApiError('Forbidden', `${subject(path)} is forbidden: ${refusal(attributes)}${decision.reason ? `: ${decision.reason}` : ''}`, {
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural },
  });
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
