import {
  apiVersionOf,
  trackUpdate,
  type ApplyVersions,
  type KubeObject,
  type ManagedFieldsEntry,
  type OwnershipOptions,
} from '@outrigger/core';
import { asObject, type Draft } from '../../registry/draft.js';
import { emptyObject } from '../../registry/empty-object.js';
import type { Resource } from '../../registry/resource.js';
import { managerFromUserAgent } from '../../request/write-options.js';
import type { RequestContext } from '../context.js';
import { nowOf } from './metadata.js';

/** `computed`: the draft's managedFields are already what they shall be (server-side apply). */
export type Tracking = 'computed';

/** Records who changed which field. Returns the draft with its managedFields. */
export function trackChange(
  context: RequestContext,
  draft: Draft,
  old: KubeObject | undefined,
  manager: string | undefined,
  tracking?: Tracking,
): Draft {
  if (tracking === 'computed') return draft;
  const live = old ?? emptyOf(context.resource);
  const managedFields = trackUpdate({ ...ownershipOptions(context, manager), live, next: asObject(draft) });
  if (managedFields === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = managedFields as ManagedFieldsEntry[];
  return draft;
}

/** What there was before a create: nothing, which for built-in kinds is not quite nothing. */
function emptyOf(resource: Resource): KubeObject {
  const empty = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} };
  return resource.isCustom ? empty : { ...emptyObject(resource.structural()), ...empty };
}

export function ownershipOptions(context: RequestContext, manager: string | undefined): OwnershipOptions {
  const { resource, path, request } = context;
  return {
    apiVersion: apiVersionOf(resource),
    schema: resource.structural(),
    manager: manager ?? managerFromUserAgent(request.headers?.['user-agent']),
    time: nowOf(context),
    ...(path.subresource === '' ? {} : { subresource: path.subresource }),
    resetFields: resetFields(resource, path.subresource),
    versions: versionsOf(context),
  };
}

/** Top-level fields a write through this path cannot change. */
function resetFields({ subresources, isCustom }: Resource, subresource: string): readonly string[] {
  if (subresource === '') return subresources.has('status') ? ['status'] : [];
  if (subresource === 'status') return isCustom ? ['metadata', 'spec'] : ['spec'];
  return [];
}

function versionsOf({ server, resource }: RequestContext): ApplyVersions {
  const at = (apiVersion: string): Resource | undefined => {
    const version = apiVersion.split('/').at(-1) ?? '';
    const other = server.registry.find(resource.group, version, resource.plural);
    return other && apiVersionOf(other) === apiVersion ? other : undefined;
  };
  return {
    schema: (apiVersion) => at(apiVersion)?.structural(),
    convert(object, apiVersion) {
      const from = at(object.apiVersion ?? '') ?? resource;
      const to = at(apiVersion);
      return to ? (to.fromStorage(from.toStorage(object as unknown as KubeObject)) as unknown as typeof object) : object;
    },
  };
}
