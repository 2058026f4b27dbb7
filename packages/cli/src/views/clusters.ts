import { nameOf } from '@outrigger/core';
import type { ManagedCluster, ManagedClusterAddOn } from '@outrigger/api';
import { age } from '../terminal/age.js';
import type { TableColumn } from '../terminal/table.js';
import { statusCell } from './conditions.js';

export interface ClusterRow {
  readonly cluster: ManagedCluster;
  /** The number of add-ons on the cluster; undefined if the user may not read add-ons. */
  readonly addOns: number | undefined;
}

export function clusterRows(
  clusters: readonly ManagedCluster[],
  installed: readonly ManagedClusterAddOn[] | undefined,
): readonly ClusterRow[] {
  const counts = new Map<string, number>();
  for (const { metadata } of installed ?? []) counts.set(metadata.namespace ?? '', (counts.get(metadata.namespace ?? '') ?? 0) + 1);
  return [...clusters]
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true }))
    .map((cluster) => ({ cluster, addOns: installed && (counts.get(nameOf(cluster)) ?? 0) }));
}

export function clusterColumns(nowMs: number): readonly TableColumn<ClusterRow>[] {
  return [
    { title: 'NAME', cell: ({ cluster }) => nameOf(cluster), isShortened: true },
    {
      title: 'ACCEPTED',
      cell: ({ cluster: { metadata, spec } }) => {
        const accepted = String(spec.hubAcceptsClient === true);
        if (metadata.deletionTimestamp !== undefined) return { text: `${accepted} (leaving)`, as: 'warn' };
        return { text: accepted, as: spec.hubAcceptsClient ? 'good' : 'warn' };
      },
    },
    { title: 'JOINED', cell: ({ cluster }) => statusCell(cluster.status?.conditions, 'ManagedClusterJoined') },
    { title: 'AVAILABLE', cell: ({ cluster }) => statusCell(cluster.status?.conditions, 'ManagedClusterConditionAvailable') },
    { title: 'ADDONS', cell: ({ addOns }) => (addOns === undefined ? '?' : String(addOns)), dropAt: 2 },
    { title: 'KUBERNETES', cell: ({ cluster }) => cluster.status?.version?.kubernetes, wide: true },
    { title: 'LABELS', cell: ({ cluster }) => labels(cluster.metadata.labels), wide: true },
    { title: 'AGE', cell: ({ cluster }) => age(cluster.metadata.creationTimestamp, nowMs), dropAt: 1 },
  ];
}

function labels(all: Readonly<Record<string, string>> = {}): string {
  return Object.entries(all)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
