import type { AddOnRollout, TargetChange } from '@outrigger/api';
import {
  type ActivityGroup,
  type OfferedAction,
  type RevisionItem,
  type RolloutPage,
  type TargetOutcome,
  compareNames,
} from '@outrigger/console-contract';
import { hasFailedLast, populatedEntries } from '@outrigger/rules/rollout';
import type { FleetState } from '../state/state.js';
import { assignedRevision } from '../state/targets.js';
import { groupActivity } from './activity-groups.js';
import { activityItems } from './activity.js';
import { questionOf } from './cells.js';
import { failureGroups } from './failures.js';
import { laneOf } from './lanes.js';
import { offer, rolloutOffers } from './offers.js';
import { forecastOf, progressOf } from './progress.js';
import type { Sight } from './sight.js';
import { isFleetPaused, standingsOf } from './standings.js';

/** Returns the page, or undefined if there is no rollout that the user may see. */
export function rolloutPage(state: FleetState, sight: Sight, addOn: string, now: number): RolloutPage | undefined {
  const rollout = sight.seesRollouts ? state.rollouts.get(addOn) : undefined;
  if (rollout === undefined) return undefined;
  const { spec, status } = rollout;
  const standings = standingsOf(state, addOn, now);
  const isPaused = spec?.paused === true;
  return {
    addOn,
    state: status?.state ?? 'None',
    isPaused,
    isFleetPaused: isFleetPaused(state),
    target: status?.target ?? '',
    entries: standings.map((standing) => laneOf(state, sight, addOn, standing, now)),
    forecast: forecastOf(state, sight, addOn, standings, isPaused || isFleetPaused(state), now),
    progress: progressOf(state, sight, addOn, standings),
    history: revisionItems(state, sight, addOn, rollout),
    timeline: newestOf(groupActivity(activityItems(state, sight, { addOn }))),
    failures: failureGroups(state, sight, addOn),
    actions: rolloutOffers(sight, addOn, rollout),
    ...(spec?.pinnedRevision === undefined ? {} : { pinnedRevision: spec.pinnedRevision }),
    ...(status?.pendingRemoval === undefined ? {} : { pendingRemoval: status.pendingRemoval }),
  };
}

/**
 * The maximum number of activity groups about clusters on the page. Groups about the whole add-on have a separate limit of the same size.
 */
const MOST_GROUPS = 200;

/**
 * Returns the newest groups. Groups about the whole add-on are counted separately, so that later reports of many clusters do not displace
 * them.
 */
export function newestOf(groups: readonly ActivityGroup[]): readonly ActivityGroup[] {
  const left = { clusters: MOST_GROUPS, addOn: MOST_GROUPS };
  return groups.filter(({ clusters }) => left[clusters.length === 0 ? 'addOn' : 'clusters']-- > 0);
}

const NAMED_CLUSTERS = 8;

/** The revisions to which the user can roll back, newest first, each with the clusters that have it and that the user may see. */
export function revisionItems(state: FleetState, sight: Sight, addOn: string, rollout: AddOnRollout): readonly RevisionItem[] {
  const { spec, status } = rollout;
  const holders = new Map<number, string[]>();
  for (const [cluster, here] of state.addOns) {
    const reported = sight.seesAddOns(cluster) ? here.get(addOn) : undefined;
    const revision = reported && assignedRevision(questionOf(state, reported, cluster, addOn));
    if (revision === undefined) continue;
    const known = holders.get(revision);
    if (known === undefined) holders.set(revision, [cluster]);
    else known.push(cluster);
  }
  const entries = status?.entries ?? [];
  return (status?.history ?? []).map(({ revision, version = '', digest, targetedAt, configs = [] }) => {
    const isPinned = spec?.pinnedRevision === revision;
    const targetOf = entries.filter(({ targetRevision }) => targetRevision === revision).map(({ name }) => name);
    const isEverywhere = entries.length > 0 && targetOf.length === entries.length;
    const clusters = (holders.get(revision) ?? []).sort(compareNames);
    return {
      revision,
      version,
      digest,
      configs: configs.map(({ resource, namespace, name }) => `${resource}/${namespace === undefined ? '' : `${namespace}/`}${name}`),
      entries: targetOf,
      clusters: clusters.length,
      names: clusters.slice(0, NAMED_CLUSTERS),
      outcomes: outcomesOf(rollout, revision),
      isPinned,
      ...(targetedAt === undefined ? {} : { targetedAt }),
      ...(isPinned || isEverywhere || !sight.mayChangeRollouts ? {} : { rollBack: rollBackOffer(addOn, rollout, { revision, version }) }),
    };
  });
}

/**
 * Offers the rollback to a revision. If the revision failed and has not completed since, the question says so and the command has the flag
 * `--yes`.
 */
function rollBackOffer(
  addOn: string,
  { status }: AddOnRollout,
  { revision, version }: { readonly revision: number; readonly version: string },
): OfferedAction {
  const goes = `Every cluster of ${addOn} goes to revision ${revision}${version === '' ? '' : ` (${version})`} and stays there.`;
  const failedIn = populatedEntries(status?.entries ?? [])
    .filter((entry) => hasFailedLast(entry, revision))
    .map(({ name }) => name);
  const offered = offer({ action: 'roll-back', addOn, revision }, `Roll back to revision ${revision}`, goes);
  if (failedIn.length === 0) return offered;
  return {
    ...offered,
    question: `${goes} It failed or was rolled back in ${failedIn.join(', ')} and has not completed there since.`,
    command: `${offered.command} --yes`,
  };
}

/** Returns the outcomes of the revision as target of each entry, newest first, from the timelines in the record. */
function outcomesOf({ status }: AddOnRollout, revision: number): readonly TargetOutcome[] {
  return (status?.entries ?? [])
    .flatMap(({ name, timeline = [] }) => timeline.filter(({ to }) => to === revision).map((change) => targetOutcome(name, change)))
    .sort((a, b) => (a.at < b.at ? 1 : -1));
}

function targetOutcome(entry: string, change: TargetChange): TargetOutcome {
  const { at, endedAt, outcome = '', cause = '', manager: by = '', selected = 0, done = 0, failed = 0, record } = change;
  return {
    entry,
    at,
    outcome,
    cause,
    by,
    selected,
    done,
    failed,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(record === undefined ? {} : { record }),
  };
}
