import { FLEET_ROLLOUT, type AddOnRollout, type ClusterManagementAddOn } from '@outrigger/api';
import { findCondition, parseTime, toTime } from '@outrigger/core';
import type { Attention } from '@outrigger/console-contract';
import { isPinned, waysBack } from '@outrigger/rules/rollout';
import { lastChange } from '../state/records.js';
import type { FleetState } from '../state/state.js';
import { clusterState } from './cells.js';
import { remarkOf } from './lanes.js';
import { confirmOffer, offer } from './offers.js';
import { validity } from './registrations.js';
import type { Sight } from './sight.js';

/** The problems that need user action: each with its start time and one action, the most urgent first. */
export function attentionOf(state: FleetState, sight: Sight, now: number): readonly Attention[] {
  const rollouts = sight.seesRollouts ? [...state.rollouts].sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  return [
    ...rollouts.flatMap(([name, rollout]) =>
      name === FLEET_ROLLOUT ? fleetAttention(state) : rolloutAttention(state, name, rollout, sight.seesDeclarations),
    ),
    ...clusterAttention(state, sight),
    ...certificateAttention(state, sight, now),
  ];
}

function fleetAttention(state: FleetState): readonly Attention[] {
  if (state.rollouts.get(FLEET_ROLLOUT)?.spec?.paused !== true) return [];
  const action = offer({ action: 'resume-all' }, 'Resume all', 'Rollouts go on, except those of add-ons that are paused by name.');
  return [
    {
      type: 'fleet-paused',
      text: 'All rollouts of the fleet are paused',
      count: 1,
      action,
      ...since(state.changedBy.get(FLEET_ROLLOUT)?.paused),
    },
  ];
}

function rolloutAttention(state: FleetState, addOn: string, rollout: AddOnRollout, seesDeclarations: boolean): readonly Attention[] {
  const { spec, status } = rollout;
  const changed = state.changedBy.get(addOn);
  const held = heldText(rollout);
  const pending = status?.pendingRemoval;
  return [
    ...haltedItems(addOn, rollout),
    ...(pending === undefined
      ? []
      : [
          {
            type: 'confirmation' as const,
            addOn,
            text: `${addOn}: the removal from ${pending.count} of ${pending.of} clusters waits for a confirmation`,
            count: pending.count,
            action: confirmOffer(addOn, pending.count, pending.of),
            ...since(seesDeclarations ? removalSince(state.declarations.get(addOn)) : undefined),
          },
        ]),
    ...approvalItems(addOn, rollout),
    ...(spec?.paused === true
      ? [
          {
            type: 'paused' as const,
            addOn,
            text: `${addOn} is paused`,
            count: 1,
            action: offer({ action: 'resume', addOn }, 'Resume'),
            ...since(changed?.paused),
          },
        ]
      : []),
    ...(held === undefined
      ? []
      : [
          {
            type: 'held' as const,
            addOn,
            text: `${addOn} is held at ${held}`,
            count: 1,
            action: offer({ action: 'follow', addOn }, 'Follow the declaration', `${addOn} follows its declaration again.`),
            ...since(changed?.pinnedRevision),
          },
        ]),
  ];
}

function haltedItems(addOn: string, { status }: AddOnRollout): readonly Attention[] {
  const entries = status?.entries ?? [];
  const back = waysBack(entries).revision;
  const version = status?.history?.find(({ revision }) => revision === back)?.version;
  const question = `Every cluster of ${addOn} goes to revision ${back ?? 0}${version ? ` (${version})` : ''} and stays there.`;
  return entries
    .filter(({ state }) => state === 'Halted')
    .map((entry) => ({ ...entry, remark: remarkOf(entry) }))
    .map(({ name, remark, failed = 0, startedAt, timeline }) => ({
      type: 'halted',
      addOn,
      text: `${addOn}: the rollout of ${name} is halted: ${remark || `${failed} clusters failed`}`,
      count: failed,
      ...since(timeline?.[0]?.endedAt ?? startedAt),
      ...(back === undefined
        ? {}
        : { action: offer({ action: 'roll-back', addOn, revision: back }, `Roll back to ${version || `revision ${back}`}`, question) }),
    }));
}

/** The revisions to which the rollout is pinned; undefined if it follows its declaration. */
function heldText({ spec }: AddOnRollout): string | undefined {
  if (!isPinned(spec)) return undefined;
  const entries = (spec?.pinnedEntries ?? []).map(({ name, revision }) => `revision ${revision} (${name})`);
  return [...(spec?.pinnedRevision === undefined ? [] : [`revision ${spec.pinnedRevision}`]), ...entries].join(', ');
}

/** Gates that wait for the decision of a user. */
function approvalItems(addOn: string, { status }: AddOnRollout): readonly Attention[] {
  return (status?.entries ?? []).flatMap(({ name, waitingFor = [] }) =>
    waitingFor
      .filter(({ kind }) => kind === 'Approval')
      .map((gate) => ({
        type: 'approval' as const,
        addOn,
        text: `${addOn}: ${name} waits for an approval: ${gate.message ?? gate.name}`,
        count: gate.clusters ?? 1,
        ...since(gate.since),
      })),
  );
}

function removalSince(declaration: ClusterManagementAddOn | undefined): string | undefined {
  const resolved = findCondition(declaration?.status?.conditions, 'TargetsResolved');
  return resolved?.reason === 'RemovalNeedsConfirmation' ? resolved.lastTransitionTime : undefined;
}

function since(time: string | undefined): { readonly since?: string } {
  return time === undefined ? {} : { since: time };
}

/** If there are more items than this, they are combined into one. */
const MOST_ITEMS = 5;

interface Found {
  readonly cluster: string;
  readonly addOn?: string;
  readonly since: string | undefined;
  readonly text: string;
}

function clusterAttention(state: FleetState, sight: Sight): readonly Attention[] {
  const unreachable: Found[] = [];
  const pending: Found[] = [];
  for (const [name, cluster] of state.clusters) {
    if (!sight.seesCluster(name)) continue;
    const at = clusterState(cluster);
    const changedAt = findCondition(cluster.status?.conditions, 'ManagedClusterConditionAvailable')?.lastTransitionTime;
    if (at === 'unreachable' || at === 'unavailable')
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
  if (found.length > MOST_ITEMS) return [{ type, text: many(found.length), count: found.length, ...since(earliest) }];
  return found.map(({ cluster, addOn, text, since: at }) => ({
    type,
    cluster,
    text,
    count: 1,
    ...(addOn === undefined ? {} : { addOn }),
    ...since(at),
  }));
}

/** Agents renew a certificate after 80 % of its lifetime. A certificate older than this share of its lifetime was not renewed. */
const LATE_SHARE = 0.9;

function certificateAttention(state: FleetState, sight: Sight, now: number): readonly Attention[] {
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
    for (const [addOn, record] of here) {
      const changedAt = lastChange(record);
      const late = check(record.report.certificateRotated, changedAt === 0 ? undefined : toTime(changedAt));
      if (late) found.push({ cluster, addOn, since: late.since, text: `the certificate of ${addOn} on ${cluster} ${late.text}` });
    }
  }
  return grouped('certificate', found, (many) => `${many} certificates were not renewed and will end`);
}
