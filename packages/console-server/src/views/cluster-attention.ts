import { type Attention, compareNames } from '@outrigger/console-contract';
import { findCondition, parseTime, toTime } from '@outrigger/core';
import { hasNeverJoined } from '@outrigger/rules/why';
import { lastChange } from '../state/projections.js';
import type { FleetState } from '../state/state.js';
import { clusterState } from './cells.js';
import { validity } from './registrations.js';
import type { Sight } from './sight.js';

/** The maximum number of separate items; if there are more, they are combined into one. */
const MOST_ITEMS = 5;
/** The maximum number of clusters that a combined item names. */
const MOST_NAMES = 50;

interface Found {
  readonly cluster: string;
  readonly addOn?: string;
  readonly since: string | undefined;
  readonly text: string;
}

/** Clusters that are not reachable, or that wait to be accepted. */
export function clusterAttention(state: FleetState, sight: Sight): readonly Attention[] {
  const unreachable: Found[] = [];
  const pending: Found[] = [];
  for (const [name, cluster] of state.clusters) {
    if (!sight.seesCluster(name)) continue;
    const at = clusterState(cluster);
    const changedAt = findCondition(cluster.status?.conditions, 'ManagedClusterConditionAvailable')?.lastTransitionTime;
    if (at === 'unreachable' && hasNeverJoined(cluster))
      unreachable.push({ cluster: name, since: cluster.metadata.creationTimestamp, text: `no agent has joined as ${name}` });
    else if (at === 'unreachable' || at === 'unavailable')
      unreachable.push({ cluster: name, since: changedAt, text: `${name} is not reachable` });
    if (at === 'pending') pending.push({ cluster: name, since: cluster.metadata.creationTimestamp, text: `${name} waits to be accepted` });
  }
  return [
    ...grouped('unreachable', unreachable, (many) => `${many} clusters are not reachable`),
    ...grouped('pending-cluster', pending, (many) => `${many} clusters wait to be accepted`),
  ];
}

function grouped(type: Attention['type'], found: readonly Found[], many: (count: number) => string): readonly Attention[] {
  const earliest = found.flatMap((one) => one.since ?? []).sort()[0];
  if (found.length > MOST_ITEMS) {
    const clusters = [...new Set(found.map(({ cluster }) => cluster))].sort(compareNames).slice(0, MOST_NAMES);
    return [{ type, text: many(found.length), count: found.length, clusters, ...since(earliest) }];
  }
  return found.map(({ cluster, addOn, text, since: at }) => ({
    type,
    cluster,
    text,
    count: 1,
    ...(addOn === undefined ? {} : { addOn }),
    ...since(at),
  }));
}

/** A certificate that is older than this share of its lifetime was not renewed in time, because agents renew after 80 % of the lifetime. */
const LATE_SHARE = 0.9;

/** Certificates of clusters and add-ons that their agents did not renew in time. */
export function certificateAttention(state: FleetState, sight: Sight, now: number): readonly Attention[] {
  const found: Found[] = [];
  const check = (
    rotated: { readonly status: string; readonly message: string } | undefined,
    changedAt: string | undefined,
  ): Pick<Found, 'since' | 'text'> | undefined => {
    if (rotated === undefined) return undefined;
    if (rotated.status === 'False') return { since: changedAt, text: 'was not renewed and will end' };
    const { issuedAt, expiresAt } = validity(rotated.message);
    const [from, to] = [parseTime(issuedAt), parseTime(expiresAt)];
    if (from === undefined || to === undefined) return undefined;
    const lateAt = from + LATE_SHARE * (to - from);
    return now < lateAt
      ? undefined
      : { since: toTime(lateAt), text: `${now < to ? 'ends' : 'ended'} at ${toTime(to)} and was not renewed` };
  };
  for (const [name, cluster] of state.clusters) {
    if (!sight.seesCluster(name)) continue;
    const rotated = findCondition(cluster.status?.conditions, 'ClusterCertificateRotated');
    const late = check(rotated, rotated?.lastTransitionTime);
    if (late) found.push({ cluster: name, since: late.since, text: `the certificate of ${name} ${late.text}` });
  }
  for (const [cluster, here] of state.addOns) {
    if (!sight.seesAddOns(cluster)) continue;
    for (const [addOn, reported] of here) {
      const changedAt = lastChange(reported);
      const late = check(reported.report.certificateRotated, changedAt === 0 ? undefined : toTime(changedAt));
      if (late) found.push({ cluster, addOn, since: late.since, text: `the certificate of ${addOn} on ${cluster} ${late.text}` });
    }
  }
  return grouped('certificate', found, (many) => `${many} certificates were not renewed and will end`);
}

function since(time: string | undefined): { readonly since?: string } {
  return time === undefined ? {} : { since: time };
}
