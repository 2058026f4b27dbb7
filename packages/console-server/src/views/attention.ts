import { type AddOnRollout } from '@outrigger/api';
import { findCondition, toTime } from '@outrigger/core';
import type { Attention } from '@outrigger/console-contract';
import type { FleetState } from '../state/state.js';
import { clusterState } from './cells.js';
import { confirmOffer, offer } from './offers.js';
import type { Sight } from './sight.js';

/** The problems that need a person: each with the time since when it exists and one action. The most urgent first. */
export function attentionOf(state: FleetState, sight: Sight): readonly Attention[] {
  const rollouts = sight.seesRollouts ? [...state.rollouts].sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  return [
    ...rollouts.flatMap(([name, rollout]) => rolloutAttention(name, rollout)),
    ...clusterAttention(state, sight),
    ...certificateAttention(state, sight),
  ];
}

function rolloutAttention(addOn: string, { spec, status }: AddOnRollout): readonly Attention[] {
  const halted = (status?.entries ?? []).filter((entry) => entry.state === 'Halted');
  const pinned = spec?.pinnedRevision;
  const pending = status?.pendingRemoval;
  const previous = (status?.history ?? []).find(({ revision }) => revision < Math.max(0, ...halted.map((one) => one.targetRevision ?? 0)));
  return [
    ...halted.map(
      (entry): Attention => ({
        type: 'halted',
        addOn,
        text: `${addOn}: the rollout of ${entry.name} is halted: ${entry.message ?? `${entry.failed ?? 0} clusters failed`}`,
        count: entry.failed ?? 0,
        ...(entry.startedAt === undefined ? {} : { since: entry.startedAt }),
        ...(previous === undefined
          ? {}
          : {
              action: offer(
                { action: 'roll-back', addOn, revision: previous.revision },
                `Roll back to revision ${previous.revision}`,
                `Every cluster of ${addOn} goes to revision ${previous.revision}${previous.version ? ` (${previous.version})` : ''} and stays there.`,
              ),
            }),
      }),
    ),
    ...(pending === undefined
      ? []
      : [
          {
            type: 'confirmation' as const,
            addOn,
            text: `${addOn}: the removal from ${pending.count} of ${pending.of} clusters waits for a confirmation`,
            count: pending.count,
            action: confirmOffer(addOn, pending.count, pending.of),
          },
        ]),
    ...(spec?.paused === true
      ? [{ type: 'paused' as const, addOn, text: `${addOn} is paused`, count: 1, action: offer({ action: 'resume', addOn }, 'Resume') }]
      : []),
    ...(pinned === undefined
      ? []
      : [
          {
            type: 'held' as const,
            addOn,
            text: `${addOn} is held at revision ${pinned}`,
            count: 1,
            action: offer({ action: 'follow', addOn }, 'Follow the declaration', `${addOn} follows its declaration again.`),
          },
        ]),
  ];
}

/** With more than this many, one item stands for all. */
const MOST_ITEMS = 5;

function clusterAttention(state: FleetState, sight: Sight): readonly Attention[] {
  const unreachable: { readonly cluster: string; readonly since: string | undefined }[] = [];
  const pending: { readonly cluster: string; readonly since: string | undefined }[] = [];
  for (const [name, cluster] of state.clusters) {
    if (!sight.seesCluster(name)) continue;
    const at = clusterState(cluster);
    const available = findCondition(cluster.status?.conditions, 'ManagedClusterConditionAvailable');
    if (at === 'unreachable' || at === 'unavailable') unreachable.push({ cluster: name, since: available?.lastTransitionTime });
    if (at === 'pending') pending.push({ cluster: name, since: cluster.metadata.creationTimestamp });
  }
  return [
    ...grouped(
      'unreachable',
      unreachable,
      (name) => `${name} is not reachable`,
      (many) => `${many} clusters are not reachable`,
    ),
    ...grouped(
      'pending-cluster',
      pending,
      (name) => `${name} waits to be accepted`,
      (many) => `${many} clusters wait to be accepted`,
    ),
  ];
}

function grouped(
  type: Attention['type'],
  found: readonly { readonly cluster: string; readonly since: string | undefined }[],
  one: (cluster: string) => string,
  many: (count: number) => string,
): readonly Attention[] {
  const earliest = found.flatMap(({ since }) => since ?? []).sort()[0];
  if (found.length > MOST_ITEMS)
    return [{ type, text: many(found.length), count: found.length, ...(earliest === undefined ? {} : { since: earliest }) }];
  return found.map(({ cluster, since }) => ({ type, cluster, text: one(cluster), count: 1, ...(since === undefined ? {} : { since }) }));
}

function certificateAttention(state: FleetState, sight: Sight): readonly Attention[] {
  const found: { readonly cluster: string; readonly since: string | undefined; readonly addOn?: string }[] = [];
  for (const [name, cluster] of state.clusters) {
    if (!sight.seesCluster(name)) continue;
    const rotated = findCondition(cluster.status?.conditions, 'ClusterCertificateRotated');
    if (rotated?.status === 'False') found.push({ cluster: name, since: rotated.lastTransitionTime });
  }
  for (const [cluster, here] of state.addOns) {
    if (!sight.seesAddOns(cluster)) continue;
    for (const [addOn, { report, since }] of here) {
      if (report.certificateRotated?.status === 'False') found.push({ cluster, addOn, since: since === 0 ? undefined : toTime(since) });
    }
  }
  if (found.length > MOST_ITEMS)
    return [{ type: 'certificate', text: `${found.length} certificates were not renewed and will end`, count: found.length }];
  return found.map(({ cluster, addOn, since }) => ({
    type: 'certificate',
    cluster,
    text: `the certificate of ${addOn === undefined ? cluster : `${addOn} on ${cluster}`} was not renewed and will end`,
    count: 1,
    ...(addOn === undefined ? {} : { addOn }),
    ...(since === undefined ? {} : { since }),
  }));
}
