import { ApiError } from '@outrigger/core';
import type { RequestContext } from '../context.js';
import type { Verb } from '../contract.js';

/**
 * Throws NotAcceptable if the client asks for a list as the metadata of one object, or for one object as a list of metadata. This is checked
 * before a write, because an error after a commit would hide that the write succeeded. A deletion may respond with a Status, and a watch
 * sends no list, so neither is checked.
 */
export function assertMetadataShape({ accepted, resource }: Pick<RequestContext, 'accepted' | 'resource'>, verb: Verb): void {
  const isList = verb === 'list' || verb === 'deletecollection';
  const isOne = verb === 'get' || verb === 'create' || verb === 'update' || verb === 'patch';
  if (accepted.as === 'metadata' && isList)
    throw notAcceptable(`PartialObjectMetadata, but the requested object is a list (${goType(resource, 'List')})`);
  if (accepted.as === 'metadata-list' && isOne)
    throw notAcceptable(`PartialObjectMetadataList, but the requested object is not a list (${goType(resource, '')})`);
}

function notAcceptable(why: string): ApiError {
  return new ApiError('NotAcceptable', `you requested ${why}`);
}

/** Returns the Go type with which a real server represents objects of a kind. Its packages have the first part of the group as name. */
function goType({ group, kind, isCustom }: RequestContext['resource'], suffix: 'List' | ''): string {
  if (isCustom) return `*unstructured.Unstructured${suffix}`;
  const [name = ''] = group.split('.');
  return `*${name === '' || name === 'events' ? 'core' : name}.${kind}${suffix}`;
}
