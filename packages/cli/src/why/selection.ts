import {
  type ClusterManagementAddOn,
  DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION,
  type InstallStrategy,
  type ManagedCluster,
  PLACEMENT_LABEL,
  TARGETS_RESOLVED_MESSAGES,
  shell,
  shellWord,
} from '@outrigger/api';
import { type LabelSelector, compileLabelSelector, errorMessage } from '@outrigger/core';
import { nameOf } from '../fleet/objects.js';
import type { Snapshot } from '../fleet/snapshot.js';
import { type Link, note, ok, stop, wait } from './chain.js';

/** Whether the strategy selects this cluster, and why. */
export interface Selection {
  readonly isSelected: boolean;
  readonly links: readonly Link[];
}

export function explainSelection(snapshot: Snapshot, addOn: ClusterManagementAddOn, cluster: ManagedCluster): Selection {
  const strategy = addOn.spec.installStrategy ?? {};
  const name = nameOf(cluster);
  if (cluster.metadata.annotations?.[DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION] === 'true') {
    const hint = shell`kubectl annotate managedcluster ${name} ${DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION}-`;
    return {
      isSelected: false,
      links: [stop(`cluster ${name} takes no automatic installations (annotation ${DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION})`, hint)],
    };
  }
  switch (strategy.type ?? 'Manual') {
    case 'Placements':
      return byPlacements(snapshot, strategy, name);
    case 'ClusterLabelSelector':
      return byLabels(strategy.labelSelector ?? {}, cluster);
    default:
      return {
        isSelected: false,
        links: [note('strategy Manual: somebody decides cluster by cluster', shell`outrigger enable ${nameOf(addOn)} --cluster ${name}`)],
      };
  }
}

function byLabels(selector: LabelSelector, cluster: ManagedCluster): Selection {
  const name = nameOf(cluster);
  const labels = cluster.metadata.labels ?? {};
  let matches: boolean;
  try {
    matches = compileLabelSelector(selector).matches(labels);
  } catch (error) {
    return {
      isSelected: false,
      links: [
        stop(
          `spec.installStrategy.labelSelector: ${errorMessage(error)}`,
          'correct the selector: until then no cluster is added or removed',
        ),
      ],
    };
  }
  if (matches) return { isSelected: true, links: [ok(`the label selector matches cluster ${name}`)] };
  const missing = mismatches(selector, labels);
  const overwrite = missing.some(({ key, label }) => Object.hasOwn(labels, key) && !label.endsWith('-')) ? ' --overwrite' : '';
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
 * A requirement that the cluster does not meet, with the cluster's actual value, and the argument for `kubectl label` that would meet it.
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
      label: operator === 'NotIn' || operator === 'DoesNotExist' ? `${key}-` : `${key}=${values[0] ?? '<value>'}`,
    }));
  return [...equal, ...expressions];
}

function byPlacements(snapshot: Snapshot, strategy: InstallStrategy, cluster: string): Selection {
  const entries = strategy.placements ?? [];
  if (entries.length === 0)
    return { isSelected: false, links: [stop('strategy Placements names no Placement', 'add one to spec.installStrategy.placements')] };
  const judged = entries.map(({ namespace, name }) => judgePlacement(snapshot, namespace, name, cluster));
  const winner = judged.findLast(({ isSelected }) => isSelected);
  if (winner) {
    const others = judged.filter((entry) => entry.isSelected && entry !== winner);
    const beside = others.map(({ placement }) => note(`Placement ${placement} selects it too; the last entry of the list wins`));
    return { isSelected: true, links: [ok(`Placement ${winner.placement} selects cluster ${cluster}`), ...beside] };
  }
  return { isSelected: false, links: judged.map(({ link }) => link) };
}

interface JudgedPlacement {
  readonly placement: string;
  readonly isSelected: boolean;
  readonly link: Link;
}

function judgePlacement({ placements, decisions }: Snapshot, namespace: string, name: string, cluster: string): JudgedPlacement {
  const placement = `${namespace}/${name}`;
  const found = placements.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (!found)
    return {
      placement,
      isSelected: false,
      link: stop(TARGETS_RESOLVED_MESSAGES.placementNotFound(placement), 'create it, or correct spec.installStrategy.placements'),
    };
  const pages = decisions.filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[PLACEMENT_LABEL] === name);
  const chosen = new Set(pages.flatMap(({ status }) => (status?.decisions ?? []).map(({ clusterName }) => clusterName)));
  if (chosen.has(cluster)) return { placement, isSelected: true, link: ok(`Placement ${placement} selects cluster ${cluster}`) };
  if (pages.length === 0)
    return {
      placement,
      isSelected: false,
      link: wait(`Placement ${placement} has no decision yet`, shell`kubectl describe placement ${name} -n ${namespace}`),
    };
  return {
    placement,
    isSelected: false,
    link: stop(
      `Placement ${placement} does not select cluster ${cluster} (it selects ${chosen.size})`,
      shell`kubectl describe placement ${name} -n ${namespace}`,
    ),
  };
}
