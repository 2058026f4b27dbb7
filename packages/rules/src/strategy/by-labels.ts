import { LABEL_SELECTOR_ENTRY } from '@outrigger/api';
import { compileLabelSelector, errorMessage, type LabelSelector, type Selector, shell, shellWord } from '@outrigger/core';
import { ok, stop } from '../explanation/chain.js';
import type { ClusterProjection } from '../observed/clusters.js';
import { NO_CLUSTERS, labelledClusters } from './decided-clusters.js';
import type { EntrySource } from './entry.js';
import type { InstallStrategyRule, Selection } from './install-strategy.js';

type Source = Extract<EntrySource, { type: 'ClusterLabelSelector' }>;

/** Type ClusterLabelSelector: one entry with the accepted clusters whose labels match. If there is no selector, there is no entry. */
export const byLabels: InstallStrategyRule<Source> = {
  entries: (strategy) =>
    strategy.labelSelector
      ? [
          {
            name: LABEL_SELECTOR_ENTRY,
            source: { type: 'ClusterLabelSelector', labelSelector: strategy.labelSelector },
            path: '/spec/installStrategy',
            settings: strategy,
          },
        ]
      : [],
  selects({ labelSelector }, cluster, lookups) {
    const selector = readSelector(labelSelector);
    return typeof selector !== 'string' && isSelected(lookups.cluster(cluster), selector);
  },
  unknown({ labelSelector }) {
    const selector = readSelector(labelSelector);
    return typeof selector === 'string'
      ? { reason: 'DecisionsIncomplete', message: `spec.installStrategy.labelSelector: ${selector}` }
      : undefined;
  },
  clusters({ labelSelector }, lookups) {
    const selector = readSelector(labelSelector);
    if (typeof selector === 'string') return { decided: NO_CLUSTERS, clustersPerGroup: undefined };
    const names: string[] = [];
    for (const cluster of lookups.clusters()) if (isSelected(cluster, selector)) names.push(cluster.key.name);
    return { decided: labelledClusters(labelSelector, names), clustersPerGroup: undefined };
  },
  reportedPlacement: () => undefined,
  wakes: () => ({ clusters: true, placements: [] }),
  explain: ({ labelSelector }, _addOn, cluster) => explain(labelSelector, cluster),
};

/**
 * Parses a selector, or returns an error message. Does not throw, because a stored object that admission would have rejected must affect
 * only its own add-on.
 */
function readSelector(selector: LabelSelector): Selector | string {
  try {
    return compileLabelSelector(selector);
  } catch (error) {
    return errorMessage(error);
  }
}

/** Whether a label selector selects a cluster. It selects only accepted clusters that are not being deleted. */
function isSelected(cluster: ClusterProjection | undefined, selector: Selector): boolean {
  return cluster !== undefined && cluster.isAccepted && !cluster.isDeleting && selector.matches(cluster.labels);
}

function explain(labelSelector: LabelSelector | undefined, cluster: ClusterProjection): Selection {
  if (!labelSelector) {
    const hint = 'set spec.installStrategy.labelSelector; {} selects every cluster';
    return { isSelected: false, links: [stop('strategy ClusterLabelSelector has no labelSelector, so it selects no cluster', hint)] };
  }
  const { name } = cluster.key;
  const selector = readSelector(labelSelector);
  if (typeof selector === 'string') {
    const hint = 'correct the selector: until then no cluster is added or removed';
    return { isSelected: false, links: [stop(`spec.installStrategy.labelSelector: ${selector}`, hint)] };
  }
  if (selector.matches(cluster.labels))
    return { isSelected: isSelected(cluster, selector), links: [ok(`the label selector matches cluster ${name}`)] };
  const missing = mismatches(labelSelector, cluster.labels);
  const overwrite = missing.some(({ key, label }) => Object.hasOwn(cluster.labels, key) && !label.endsWith('-')) ? ' --overwrite' : '';
  return {
    isSelected: false,
    links: [
      stop(
        `the label selector does not match cluster ${name}: ${missing.map(({ text }) => text).join(', ')}`,
        `${shell`kubectl label managedcluster ${name}`} ${missing.map(({ label }) => shellWord(label)).join(' ')}${overwrite}`,
      ),
    ],
  };
}

/**
 * A requirement that the cluster does not meet, the cluster's actual value, and the argument for `kubectl label` that would meet the
 * requirement.
 */
interface Mismatch {
  readonly key: string;
  readonly text: string;
  readonly label: string;
}

function mismatches(selector: LabelSelector, labels: Readonly<Record<string, string>>): readonly Mismatch[] {
  const has = (key: string): string => (Object.hasOwn(labels, key) ? `it is "${labels[key]}"` : 'it is not set');
  const equal = Object.entries(selector.matchLabels ?? {})
    .filter(([key, value]) => labels[key] !== value)
    .map(([key, value]) => ({ key, text: `${key} must be "${value}", ${has(key)}`, label: `${key}=${value}` }));
  const expressions = (selector.matchExpressions ?? [])
    .filter((expression) => !compileLabelSelector({ matchExpressions: [expression] }).matches(labels))
    .map(({ key, operator, values = [] }) => ({
      key,
      text: `${key} ${operator}${values.length > 0 ? ` (${values.join(', ')})` : ''}, ${has(key)}`,
      // Exists matches any value, so the suggested command sets an empty value.
      label: operator === 'NotIn' || operator === 'DoesNotExist' ? `${key}-` : `${key}=${values[0] ?? ''}`,
    }));
  return [...equal, ...expressions];
}
