import { expect } from 'vitest';
import { eventually } from './api.js';
import { type Subject, unique } from './subject.js';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface CustomKind {
  readonly group: string;
  readonly crdPath: string;
  /** Returns the path of the resource in a namespace. */
  in(namespace: string, version?: string): string;
  object(name: string, fields?: object): object;
}

interface Version {
  readonly name: string;
  readonly schema: object;
  readonly storage?: boolean;
  readonly served?: boolean;
  readonly columns?: readonly object[];
  readonly subresources?: object;
  readonly selectableFields?: readonly object[];
}

/** Registers a kind `Widget` in a separate group and waits until it is served. */
export async function registerWidget(subject: Subject, versions: readonly Version[]): Promise<CustomKind> {
  const group = `${unique('g')}.example.com`;
  await subject.admin.create(CRDS, widgetDefinition(group, versions));
  const kind = customKind(group, versions[0]?.name ?? '');
  await eventually(async () => expect((await subject.admin.get(`/apis/${group}/${versions.at(-1)?.name}/widgets`)).status).toBe(200));
  return kind;
}

export function widgetDefinition(group: string, versions: readonly Version[]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'], categories: ['all'] },
      versions: versions.map(({ name, schema, storage = true, served = true, columns, subresources, selectableFields }) => ({
        name,
        served,
        storage,
        schema: { openAPIV3Schema: { type: 'object', properties: schema } },
        ...(columns && { additionalPrinterColumns: columns }),
        ...(subresources && { subresources }),
        ...(selectableFields && { selectableFields }),
      })),
    },
  };
}

function customKind(group: string, version: string): CustomKind {
  return {
    group,
    crdPath: `${CRDS}/widgets.${group}`,
    in: (namespace, at = version) => `/apis/${group}/${at}/namespaces/${namespace}/widgets`,
    object: (name, fields = {}) => ({ apiVersion: `${group}/${version}`, kind: 'Widget', metadata: { name }, ...fields }),
  };
}
