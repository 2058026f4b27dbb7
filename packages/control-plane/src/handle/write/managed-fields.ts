import {
  apiVersionOf,
  isApiError,
  trackUpdate,
  type ApplyVersions,
  type KubeObject,
  type ManagedFieldsEntry,
  type OwnershipOptions,
} from '@outrigger/core';
import { asObject, type Draft } from '../../registry/draft.js';
import { emptyObject } from '../../registry/empty-values.js';
import type { Resource } from '../../registry/resource.js';
import { managerFromUserAgent } from '../../request/write-options.js';
import type { RequestContext } from '../context.js';
import { fetchingConversions } from './fetch-conversions.js';
import { nowOf } from './metadata.js';
import { keptByStatus } from './subresource-parts.js';

/** `computed` means that the draft's managedFields are already final (server-side apply). */
export type Tracking = 'computed';

export interface Tracked {
  readonly draft: Draft;
  /** The draft before admission changed it. It is needed because fields that admission adds have no owner. */
  readonly asked: Draft;
  readonly old: KubeObject | undefined;
  readonly manager: string | undefined;
  readonly tracking: Tracking | undefined;
}

/** Records which field manager changed which field. Returns the draft with its managedFields. */
export function trackChange(context: RequestContext, { draft, asked, old, manager, tracking }: Tracked): Draft | Promise<Draft> {
  if (tracking === 'computed') return withFields(draft, asked.metadata.managedFields);
  const states = { live: old ?? emptyOf(context.resource), next: asObject(asked) };
  const fields = withVersions(context, (versions) => trackUpdate({ ...ownershipOptions(context, manager), versions, ...states }));
  if (!(fields instanceof Promise)) return withFields(draft, fields);
  return fields
    .catch((error: unknown) => {
      // If the conversion fails, the fields are no longer tracked, but the write succeeds, as on a real server.
      if (!isApiError(error)) throw error;
      context.server.runtime.log.warn({ error: error.message }, 'managedFields dropped, conversion failed');
      return undefined;
    })
    .then((found) => withFields(draft, found));
}

function withFields(draft: Draft, managedFields: readonly ManagedFieldsEntry[] | undefined): Draft {
  if (managedFields === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = managedFields as ManagedFieldsEntry[];
  return draft;
}

/** Calls `run` with the functions to convert between versions of the resource. */
export function withVersions<T>(context: RequestContext, run: (versions: ApplyVersions) => T): T | Promise<T> {
  const { remote } = context.resource;
  const versions = versionsOf(context);
  return remote ? fetchingConversions(remote, (convert) => run({ ...versions, convert })) : run(versions);
}

/**
 * Returns the empty object with which a new object is compared. An empty object of a built-in kind has the fields that Go always writes.
 */
function emptyOf(resource: Resource): KubeObject {
  const empty = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} };
  return resource.message === undefined ? empty : { ...emptyObject(resource.message), ...empty };
}

export function ownershipOptions(context: RequestContext, manager: string | undefined): Omit<OwnershipOptions, 'versions'> {
  const { resource, path, request } = context;
  return {
    apiVersion: apiVersionOf(resource),
    schema: resource.structural(),
    manager: manager ?? managerFromUserAgent(request.headers?.['user-agent']),
    time: nowOf(context),
    ...(path.subresource === '' ? {} : { subresource: path.subresource }),
    resetFields: resetFields(resource, path.subresource),
  };
}

/** Returns the fields that a write to the object or to this subresource cannot change. */
function resetFields(resource: Resource, subresource: string): readonly string[] {
  if (subresource === '') return resource.subresources.has('status') ? ['status'] : [];
  if (subresource !== 'status') return [];
  const kept = keptByStatus(resource);
  return kept === 'metadata' ? ['metadata', 'spec'] : ['spec', ...kept.map((field) => `metadata.${field}`)];
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
