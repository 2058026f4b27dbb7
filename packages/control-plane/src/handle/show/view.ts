import { apiVersionOf, type KubeObject, type ListMeta } from '@outrigger/core';
import type { Resource } from '../../registry/resource.js';
import { negotiate, type Accepted } from '../../request/negotiate.js';
import type { RequestContext } from '../context.js';
import { partialMetadata } from './partial-metadata.js';
import { includeObjectOf, tableOf } from './table.js';

/** How a caller wants objects shown. */
export interface View {
  /** Equal names show equal objects equally. */
  readonly name: string;
  readonly contentType: Accepted['contentType'];
  object(object: KubeObject): KubeObject;
  list(items: readonly KubeObject[], metadata: ListMeta): object;
}

export function viewFor(context: RequestContext): View {
  const accepted = negotiate(context.request.headers?.['accept'], context.resource.isCustom);
  const { resource } = context;
  const version = apiVersionOf(resource);
  switch (accepted.as) {
    case 'object':
      return {
        name: version,
        contentType: accepted.contentType,
        object: (object) => object,
        list: (items, metadata) => plainList(resource, items, metadata),
      };
    case 'table': {
      const includeObject = includeObjectOf(context.query);
      const now = context.server.runtime.clock.now();
      const table = (items: readonly KubeObject[], metadata: ListMeta) =>
        tableOf(items, metadata, { resource, includeObject, now, version: accepted.asVersion });
      return {
        // Ages are told as of now, so no two tables are the same.
        name: `${version} table ${includeObject} ${accepted.asVersion} ${now}`,
        contentType: accepted.contentType,
        object: (object) => table([object], { resourceVersion: object.metadata.resourceVersion ?? '' }) as unknown as KubeObject,
        list: table,
      };
    }
    case 'metadata':
    case 'metadata-list': {
      const apiVersion = `meta.k8s.io/${accepted.asVersion}`;
      return {
        name: `${version} metadata ${accepted.asVersion}`,
        contentType: accepted.contentType,
        object: (object) => partialMetadata(object, apiVersion),
        list: (items, metadata) => ({
          kind: 'PartialObjectMetadataList',
          apiVersion,
          metadata,
          items: items.map((item) => partialMetadata(item, apiVersion)),
        }),
      };
    }
  }
}

/** A typed server leaves apiVersion and kind out of the items of a list; a dynamic one keeps them. */
function plainList(resource: Resource, items: readonly KubeObject[], metadata: ListMeta): object {
  return {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata,
    items: resource.isCustom ? items : items.map(({ kind: _, apiVersion: __, ...item }) => item),
  };
}
