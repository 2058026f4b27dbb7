import { apiVersionOf, type KubeObject, type ListMeta } from '@outrigger/core';
import type { Resource } from '../../registry/resource.js';
import { encodeProtobufEvent } from '../../protobuf/encode.js';
import { PROTOBUF } from '../../protobuf/layout.js';
import type { ContentType } from '../../request/negotiate.js';
import type { RequestContext } from '../context.js';
import { watchLine, type EncodeEvent } from '../watch/line.js';
import { type ListedItem, listOf, withoutType } from './listed-items.js';
import { partialMetadata } from './partial-metadata.js';
import { includeObjectOf, tableOf } from './table.js';

/** The format in which a caller receives objects. */
export interface View {
  /** Views with the same name format an object in the same way. */
  readonly name: string;
  readonly contentType: ContentType;
  /** Encodes a watch event. */
  readonly encodeEvent: EncodeEvent;
  /** The view for all events of a watch except the first. Absent if all events have the same view. */
  readonly following?: View;
  object(object: KubeObject): KubeObject;
  list(items: readonly ListedItem[], metadata: ListMeta): object;
}

export function viewFor(context: RequestContext): View {
  const { resource, accepted } = context;
  const { contentType } = accepted;
  const version = apiVersionOf(resource);
  const sent = { contentType, encodeEvent: contentType === PROTOBUF ? encodeProtobufEvent : watchLine };
  switch (accepted.as) {
    case 'object':
      return {
        ...sent,
        name: `${version} ${contentType}`,
        object: (object) => object,
        list: (items, metadata) => plainList(resource, items, metadata),
      };
    case 'table':
      return { ...tableView(context, sent, true), following: tableView(context, sent, false) };
    case 'metadata':
    case 'metadata-list': {
      const apiVersion = `meta.k8s.io/${accepted.asVersion}`;
      return {
        ...sent,
        name: `${version} ${contentType} metadata ${accepted.asVersion}`,
        object: (object) => partialMetadata(object, apiVersion),
        list: (items, metadata) => ({
          kind: 'PartialObjectMetadataList',
          apiVersion,
          metadata,
          items: items.map(({ object }) => partialMetadata(object, apiVersion)),
        }),
      };
    }
  }
}

/** Returns a view that shows objects as tables. Ages are computed once per change, because all watchers receive the same table. */
function tableView(context: RequestContext, sent: Pick<View, 'contentType' | 'encodeEvent'>, hasColumns: boolean): View {
  const { resource, accepted, server } = context;
  const options = { resource, includeObject: includeObjectOf(context.query), version: accepted.asVersion, hasColumns };
  const table = (items: readonly KubeObject[], metadata: ListMeta): object =>
    tableOf(items, metadata, { ...options, now: server.runtime.clock.now() });
  return {
    ...sent,
    name: `${apiVersionOf(resource)} table ${options.includeObject} ${options.version} ${hasColumns}`,
    object: (object) => table([object], { resourceVersion: object.metadata.resourceVersion ?? '' }) as unknown as KubeObject,
    list: (items, metadata) =>
      table(
        items.map(({ object }) => object),
        metadata,
      ),
  };
}

/** Returns a list of objects. Lists of built-in kinds omit apiVersion and kind in their items; lists of custom kinds include them. */
function plainList(resource: Resource, items: readonly ListedItem[], metadata: ListMeta): object {
  const head = { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata };
  return listOf(head, resource.isCustom ? items : items.map(withoutType));
}
