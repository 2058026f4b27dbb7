import type { UnsatisfiedDependency } from '@outrigger/api';
import { type ObjectKey, keyString, type Metrics } from '@outrigger/core';
import { type DependencyState, missingDependencies } from './missing-dependencies.js';

type Labels = 'addon' | 'dependency' | 'type';
const LABELS: readonly Labels[] = ['addon', 'dependency', 'type'];

export interface DependencyMetrics {
  /** Records the state that a pass observed. `state` is undefined if the add-on no longer exists. */
  seen(key: ObjectKey, state: DependencyState | undefined): void;
}

/** Counts the clusters on which a dependency is not satisfied, and how often a dependency became unsatisfied. */
export function dependencyMetrics(metrics: Metrics): DependencyMetrics {
  const unsatisfied = metrics.gauge({
    name: 'outrigger_addon_unsatisfied_dependencies',
    help: 'Clusters on which a dependency of an add-on is not satisfied.',
    labels: LABELS,
  });
  const failures = metrics.counter({
    name: 'outrigger_addon_dependency_validation_failures_total',
    help: 'Times a dependency of an add-on on a cluster was found not to be satisfied after it was, or for the first time.',
    labels: LABELS,
  });
  /** Contains only add-ons with unsatisfied dependencies, to save memory. */
  const missing = new Map<string, ReadonlyMap<string, Record<Labels, string>>>();
  const clusters = new Map<string, number>();

  function add(series: string, labels: Record<Labels, string>, by: 1 | -1): void {
    const count = (clusters.get(series) ?? 0) + by;
    if (count > 0) clusters.set(series, count);
    else clusters.delete(series);
    if (count > 0) unsatisfied.set(labels, count);
    else unsatisfied.remove(labels);
  }

  return {
    seen(key, state) {
      const id = keyString(key);
      const before = missing.get(id) ?? new Map<string, Record<Labels, string>>();
      const list = state && state.dependencies.length > 0 ? missingDependencies(state) : [];
      const now = new Map(list.map((dependency) => [seriesOf(key.name, dependency), labelsOf(key.name, dependency)]));
      for (const [series, labels] of before) if (!now.has(series)) add(series, labels, -1);
      for (const [series, labels] of now) {
        if (before.has(series)) continue;
        add(series, labels, 1);
        failures.add(labels);
      }
      if (now.size > 0) missing.set(id, now);
      else missing.delete(id);
    },
  };
}

function labelsOf(addon: string, { name, type = 'Required' }: UnsatisfiedDependency): Record<Labels, string> {
  return { addon, dependency: name, type };
}

function seriesOf(addOn: string, dependency: UnsatisfiedDependency): string {
  return Object.values(labelsOf(addOn, dependency)).join('/');
}
