import { ApiError, type KubeObject, type ListMeta } from '@outrigger/core';
import type { Resource } from '../../registry/resource.js';
import type { Query } from '../../request/query.js';
import { partialMetadata } from './partial-metadata.js';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly resource: Pick<Resource, 'columns'>;
  readonly includeObject: IncludeObject;
  /** The wall time from which ages are computed, in milliseconds. */
  readonly now: number;
  readonly version: 'v1' | 'v1beta1';
  /** Whether to include the column definitions, which a watch sends only once. */
  readonly hasColumns: boolean;
}

export function includeObjectOf(query: Query): IncludeObject {
  const value = query.text('includeObject') ?? 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const why = "must be 'Metadata', 'Object', 'None', or empty";
  throw new ApiError(
    'BadRequest',
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: ${why}`,
  );
}

/** Returns the table that `kubectl get` prints: the columns of the kind, and a row of cells per object. */
export function tableOf(items: readonly KubeObject[], metadata: ListMeta, options: TableOptions): object {
  const { resource, now, version, hasColumns } = options;
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: hasColumns ? columnsOf(resource) : null,
    rows: items.map((item) => ({ cells: resource.columns.map((column) => column.value(item, now)), ...embedded(item, options) })),
  };
}

function columnsOf({ columns }: Pick<Resource, 'columns'>): object[] {
  return columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({ name, type, format, description, priority }));
}

function embedded(item: KubeObject, { includeObject, version }: TableOptions): { readonly object: object | null } {
  if (includeObject === 'None') return { object: null };
  return { object: includeObject === 'Object' ? item : partialMetadata(item, `meta.k8s.io/${version}`) };
}
