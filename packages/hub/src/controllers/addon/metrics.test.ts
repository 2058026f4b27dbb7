import type { Metrics } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { dependencyMetrics } from './metrics.js';
import type { DependencyState } from './missing-dependencies.js';

/** Returns metrics that keep their values in memory, and a function that lists the values as `name{label,...} value`. */
function recorded(): { metrics: Metrics; series: () => string[] } {
  const values = new Map<string, number>();
  const id = (name: string, labels: Readonly<Record<string, string>>): string => `${name}{${Object.values(labels).join(',')}}`;
  const metrics: Metrics = {
    counter: ({ name }) => ({ add: (labels, by = 1) => values.set(id(name, labels), (values.get(id(name, labels)) ?? 0) + by) }),
    gauge: ({ name }) => ({
      set: (labels, value) => values.set(id(name, labels), value),
      remove: (labels) => values.delete(id(name, labels)),
    }),
    histogram: () => ({ observe: () => undefined }),
  };
  return { metrics, series: () => [...values].map(([name, value]) => `${name} ${value}`).sort() };
}

const GAUGE = 'outrigger_addon_unsatisfied_dependencies{a,b,Required}';
const COUNTER = 'outrigger_addon_dependency_validation_failures_total{a,b,Required}';

function lookups(isAvailable: boolean, isReachable = true): DependencyState {
  const prerequisite = { isDeleting: false, isAvailable, degradedReason: undefined };
  return {
    clusterAddOn: { status: {} },
    cluster: { available: { status: isReachable ? 'True' : 'Unknown', reason: '', message: '', since: 0 } },
    dependencies: [{ name: 'b' }],
    prerequisites: { prerequisite: () => prerequisite, cycle: () => undefined },
  };
}

describe('metrics of dependencies', () => {
  it('count clusters by add-on, dependency and type, and drop deleted add-ons', () => {
    const { metrics, series } = recorded();
    const dependencies = dependencyMetrics(metrics);
    dependencies.seen({ namespace: 'c1', name: 'a' }, lookups(false));
    dependencies.seen({ namespace: 'c2', name: 'a' }, lookups(false));
    dependencies.seen({ namespace: 'c2', name: 'a' }, lookups(false));
    expect(series()).toEqual([`${COUNTER} 2`, `${GAUGE} 2`]);
    dependencies.seen({ namespace: 'c1', name: 'a' }, lookups(true));
    expect(series()).toEqual([`${COUNTER} 2`, `${GAUGE} 1`]);
    dependencies.seen({ namespace: 'c2', name: 'a' }, undefined);
    expect(series()).toEqual([`${COUNTER} 2`]);
    dependencies.seen({ namespace: 'c1', name: 'a' }, lookups(false));
    expect(series()).toEqual([`${COUNTER} 3`, `${GAUGE} 1`]);
  });

  it('do not count the dependencies of an unreachable cluster, whose availability is unknown', () => {
    const { metrics, series } = recorded();
    const dependencies = dependencyMetrics(metrics);
    dependencies.seen({ namespace: 'c1', name: 'a' }, lookups(true));
    dependencies.seen({ namespace: 'c1', name: 'a' }, lookups(false, false));
    expect(series()).toEqual([]);
  });
});
