import type { AddOnRollout } from '@outrigger/api';
import type { RevisionItem, RolloutPage } from '@outrigger/console-contract';
import type { FleetState } from '../state/state.js';
import { heldRevision } from '../state/targets.js';
import { activityItems } from './activity.js';
import { questionOf } from './cells.js';
import { failureGroups } from './failures.js';
import { laneOf } from './lanes.js';
import { offer, rolloutOffers } from './offers.js';
import type { Sight } from './sight.js';

/** Undefined if there is no rollout that the user may see. */
export function rolloutPage(state: FleetState, sight: Sight, addOn: string): RolloutPage | undefined {
  const rollout = sight.seesRollouts ? state.rollouts.get(addOn) : undefined;
  if (rollout === undefined) return undefined;
  const { spec, status } = rollout;
  return {
    addOn,
    state: status?.state ?? 'None',
    isPaused: spec?.paused === true,
    target: status?.target ?? '',
    entries: (status?.entries ?? []).map((entry) => laneOf(state, sight, addOn, entry)),
    history: revisionItems(state, sight, addOn, rollout),
    timeline: activityItems(state, sight, { addOn }).slice(0, 200),
    failures: failureGroups(state, sight, addOn),
    actions: rolloutOffers(addOn, rollout),
    ...(spec?.pinnedRevision === undefined ? {} : { pinnedRevision: spec.pinnedRevision }),
    ...(status?.pendingRemoval === undefined ? {} : { pendingRemoval: status.pendingRemoval }),
  };
}

/** The revisions that can be gone back to, newest first, with the clusters the user sees on each. */
export function revisionItems(state: FleetState, sight: Sight, addOn: string, { spec, status }: AddOnRollout): readonly RevisionItem[] {
  const clusters = new Map<number, number>();
  for (const [cluster, here] of state.addOns) {
    const record = sight.seesAddOns(cluster) ? here.get(addOn) : undefined;
    const revision = record && heldRevision(questionOf(state, record, cluster, addOn));
    if (revision !== undefined) clusters.set(revision, (clusters.get(revision) ?? 0) + 1);
  }
  const entries = status?.entries ?? [];
  return (status?.history ?? []).map(({ revision, version = '', digest, targetedAt, configs = [] }) => {
    const isPinned = spec?.pinnedRevision === revision;
    const targetOf = entries.filter(({ targetRevision }) => targetRevision === revision).map(({ name }) => name);
    const isEverywhere = entries.length > 0 && targetOf.length === entries.length;
    return {
      revision,
      version,
      digest,
      configs: configs.map(({ resource, namespace, name }) => `${resource}/${namespace === undefined ? '' : `${namespace}/`}${name}`),
      entries: targetOf,
      clusters: clusters.get(revision) ?? 0,
      isPinned,
      ...(targetedAt === undefined ? {} : { targetedAt }),
      ...(isPinned || isEverywhere
        ? {}
        : {
            rollBack: offer(
              { action: 'roll-back', addOn, revision },
              `Roll back to revision ${revision}`,
              `Every cluster of ${addOn} goes to revision ${revision}${version === '' ? '' : ` (${version})`} and stays there.`,
            ),
          }),
    };
  });
}
