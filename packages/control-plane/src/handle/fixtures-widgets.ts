import type { Json } from '@outrigger/core';

/** Returns a CRD that uses most features of CRDs, for tests. */
export function widgetDefinition(change: (spec: Record<string, unknown>) => void = () => undefined): Json {
  const spec: Record<string, unknown> = {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        additionalPrinterColumns: [
          { name: 'Color', type: 'string', jsonPath: '.spec.color' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
        ],
        selectableFields: [{ jsonPath: '.spec.color' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  color: { type: 'string', enum: ['red', 'green', 'blue'] },
                  size: { type: 'string', default: 'medium' },
                  replicas: { type: 'integer', minimum: 0 },
                  parts: {
                    type: 'array',
                    items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, count: { type: 'integer' } } },
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                  },
                },
              },
              status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  };
  change(spec);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec,
  } as Json;
}

export function widget(name: string, spec: Json = {}): Json {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec };
}
