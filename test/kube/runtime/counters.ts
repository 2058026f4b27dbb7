import { type ConfigMap, configMaps } from '@outrigger/api';
import type { Action, Controller, Resource } from '@outrigger/kube';
import { defineController, watch } from '@outrigger/kube';
import { keyOf, type Projected } from '@outrigger/core';

/**
 * A ConfigMap used as a counter: `data.wanted` is the number that a user wants, `data.count` is the number that the controller has reached,
 * and `data.by` is the last writer.
 */
export interface CounterProjection extends Projected {
  readonly wanted: number;
  readonly count: number;
}

export const counters = (namespace: string): Resource<CounterProjection> => ({
  name: 'counters',
  api: 'kube',
  kind: configMaps,
  namespace,
  labelSelector: 'counter=true',
  project(object) {
    const { data = {}, metadata } = object as ConfigMap;
    return {
      key: keyOf(object),
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      wanted: Number(data['wanted'] ?? 0),
      count: Number(data['count'] ?? 0),
    };
  },
  indexes: {},
});

export function counter(name: string, namespace: string, wanted: number): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { counter: 'true' } },
    data: { wanted: String(wanted), count: '0', by: '' },
  };
}

/** A controller that counts up by one per pass. Each step depends on the previous one, so a stale write would break the count. */
export function countingController(namespace: string, identity: string): Controller<CounterProjection> {
  const resource = counters(namespace);
  return defineController({
    name: 'counting',
    watches: [watch(resource, ({ before, after }) => [(after ?? before)?.key ?? { name: '' }])],
    observe: (view, key) => view.get(resource, key),
    decide({ key, uid, resourceVersion, wanted, count }) {
      if (count >= wanted) return { stages: [] };
      const step: Action = {
        type: 'patch',
        api: 'kube',
        kind: configMaps,
        id: 'count',
        key,
        patch: { data: { count: String(count + 1), by: identity } },
        precondition: { uid, resourceVersion },
      };
      return { stages: [[step]] };
    },
  });
}
