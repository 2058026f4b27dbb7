import { type AddOnRollout, type ClusterManagementAddOn, FLEET_ROLLOUT, type RolloutEntry } from '@outrigger/api';
import type { Attention, OfferedAction } from '@outrigger/console-contract';
import { findCondition } from '@outrigger/core';
import { verbsFor } from '@outrigger/rules/decisions';
import { isHalted, isPinned } from '@outrigger/rules/rollout';
import { remarkOf } from '@outrigger/rules/why';
import type { FleetState } from '../state/state.js';
import { certificateAttention, clusterAttention } from './cluster-attention.js';
import { confirmOffer, decisionOffers, followOffer, offer, wayBackOffer } from './offers.js';
import type { Sight } from './sight.js';
import { waitsOf } from './waits.js';

/** The problems that need user action, the most urgent first, each with its start time and one action. */
export function attentionOf(state: FleetState, sight: Sight, now: number): readonly Attention[] {
  const rollouts = sight.seesRollouts ? [...state.rollouts].sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  return [
    ...rollouts.flatMap(([name, rollout]) =>
      name === FLEET_ROLLOUT ? fleetAttention(state, sight) : rolloutAttention(state, sight, name, rollout),
    ),
    ...clusterAttention(state, sight),
    ...certificateAttention(state, sight, now),
  ];
}

function fleetAttention(state: FleetState, sight: Sight): readonly Attention[] {
  if (state.rollouts.get(FLEET_ROLLOUT)?.spec?.paused !== true) return [];
  const question = 'Rollouts go on, except those of add-ons that are paused by name.';
  return [
    {
      type: 'fleet-paused',
      text: 'All rollouts of the fleet are paused',
      count: 1,
      ...since(state.changedBy.get(FLEET_ROLLOUT)?.paused),
      ...steering(sight, () => offer({ action: 'resume-all' }, 'Resume all', question)),
    },
  ];
}

function rolloutAttention(state: FleetState, sight: Sight, addOn: string, rollout: AddOnRollout): readonly Attention[] {
  const { spec, status } = rollout;
  const changed = state.changedBy.get(addOn);
  const items: Attention[] = [...haltedItems(sight, addOn, rollout)];
  const pending = status?.pendingRemoval;
  if (pending !== undefined) {
    items.push({
      type: 'confirmation',
      addOn,
      text: `${addOn}: the removal from ${pending.count} of ${pending.of} clusters waits for a confirmation`,
      count: pending.count,
      ...since(sight.seesDeclarations ? removalSince(state.declarations.get(addOn)) : undefined),
      ...steering(sight, () => confirmOffer(addOn, pending.count, pending.of)),
    });
  }
  items.push(...(status?.entries ?? []).flatMap((entry) => approvalItems(sight, addOn, entry)));
  if (spec?.paused === true) {
    items.push({
      type: 'paused',
      addOn,
      text: `${addOn} is paused`,
      count: 1,
      ...since(changed?.paused),
      ...steering(sight, () => offer({ action: 'resume', addOn }, 'Resume')),
    });
  }
  const pinned = pinText(rollout);
  if (pinned !== undefined) {
    items.push({
      type: 'held',
      addOn,
      text: `${addOn} is pinned at ${pinned}`,
      count: 1,
      ...since(changed?.pinned),
      ...steering(sight, () => followOffer(addOn)),
    });
  }
  return items;
}

function haltedItems(sight: Sight, addOn: string, rollout: AddOnRollout): readonly Attention[] {
  const back = sight.mayChangeRollouts ? wayBackOffer(addOn, rollout) : undefined;
  return (rollout.status?.entries ?? []).filter(isHalted).map((entry) => {
    const { name, failed = 0, startedAt, timeline } = entry;
    return {
      type: 'halted',
      addOn,
      text: `${addOn}: the rollout of ${name} is halted: ${remarkOf(entry) || `${failed} clusters failed`}`,
      count: failed,
      ...since(timeline?.[0]?.endedAt ?? startedAt),
      ...(back === undefined ? {} : { action: back }),
    };
  });
}

/** The revisions to which the rollout is pinned; undefined if the rollout follows its declaration. */
function pinText({ spec }: AddOnRollout): string | undefined {
  if (!isPinned(spec)) return undefined;
  const entries = (spec?.pinnedEntries ?? []).map(({ name, revision }) => `revision ${revision} (${name})`);
  return [...(spec?.pinnedRevision === undefined ? [] : [`revision ${spec.pinnedRevision}`]), ...entries].join(', ');
}

/** Gates that wait for a user's decision, and revisions that a user rejected. */
function approvalItems(sight: Sight, addOn: string, entry: RolloutEntry): readonly Attention[] {
  return waitsOf(entry).flatMap((wait) => {
    const verbs = verbsFor(wait);
    const [verb] = verbs;
    if (wait.kind !== 'Approval' || verb === undefined) return [];
    const [action] = decisionOffers(sight, addOn, entry, { gate: wait.name, group: wait.group, verbs });
    const about = wait.message ?? wait.name;
    const text = verb === 'retry' ? `${addOn}: ${entry.name} is ${about}` : `${addOn}: ${entry.name} waits for an approval: ${about}`;
    return [
      {
        type: 'approval' as const,
        addOn,
        text,
        count: wait.clusters ?? 1,
        ...since(wait.since),
        ...(action === undefined ? {} : { action }),
      },
    ];
  });
}

function removalSince(managementAddOn: ClusterManagementAddOn | undefined): string | undefined {
  const resolved = findCondition(managementAddOn?.status?.conditions, 'TargetsResolved');
  return resolved?.reason === 'RemovalNeedsConfirmation' ? resolved.lastTransitionTime : undefined;
}

function since(time: string | undefined): { readonly since?: string } {
  return time === undefined ? {} : { since: time };
}

/** Returns the action if the user may change rollouts. */
function steering({ mayChangeRollouts }: Sight, action: () => OfferedAction): { readonly action?: OfferedAction } {
  return mayChangeRollouts ? { action: action() } : {};
}
