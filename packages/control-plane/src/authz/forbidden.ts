import { ApiError } from '@outrigger/core';
import type { Attributes } from '../handle/contract.js';

/** Returns the error for an unauthorized request, with the API server's exact message, because scripts and users match on it. */
export function forbidden(attributes: Attributes, reason = ''): ApiError {
  const refusal = reason === '' ? denial(attributes) : `${denial(attributes)}: ${reason}`;
  return forbiddenResource(attributes, refusal);
}

/**
 * Returns the error `pods "x" is forbidden: <why>`, for requests that are rejected because of their content, not because of the requester.
 */
export function forbiddenResource(
  target: { readonly group: string; readonly resource: string; readonly name: string },
  why: string,
): ApiError {
  const { group, resource, name } = target;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const details = {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(resource === '' ? {} : { kind: resource }),
  };
  const subject = [qualified, name === '' ? '' : JSON.stringify(name)].filter((part) => part !== '').join(' ');
  return new ApiError('Forbidden', subject === '' ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`, { details });
}

function denial(attributes: Attributes): string {
  const { identity, verb, nonResourcePath, namespace, resource, subresource, group } = attributes;
  const who = `User ${quote(identity.user)} cannot ${verb}`;
  if (nonResourcePath !== undefined) return `${who} path ${quote(nonResourcePath)}`;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return `${who} resource ${quote(what)} in API group ${quote(group)} ${where}`;
}

/** Escapes characters that a browser could interpret as markup, because a requester chooses the text: a user name or a part of the path. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
