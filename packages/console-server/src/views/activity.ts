import type { ActivityItem, ActivityPage, ActivityRequest } from '@outrigger/console-contract';
import { parseTime } from '@outrigger/core';
import type { FleetState } from '../state/state.js';
import type { Sight } from './sight.js';
import { decisionItems } from './decisions.js';
import { groupActivity } from './activity-groups.js';
import { timelineItems } from './timeline.js';

/** The number of groups on a page. Clusters that report the same event are one group, however many they are. */
const PAGE = 200;

/** The part of the activity that the user may see, newest first. */
export function activityItems(
  state: FleetState,
  sight: Sight,
  { addOn, cluster, type }: Pick<ActivityRequest, 'addOn' | 'cluster' | 'type'>,
): readonly ActivityItem[] {
  const wanted = (item: ActivityItem): boolean =>
    isVisible(item, sight) &&
    (addOn === undefined || item.addOn === addOn) &&
    (cluster === undefined || item.cluster === cluster) &&
    (type === undefined || item.type === type || item.reason === type);
  const recorded = timelineItems(state).filter(wanted);
  const events = [...state.activity.values()].filter(wanted).filter(notIn(recorded));
  return [...events, ...recorded, ...decisionItems(state).filter(wanted)].sort((a, b) =>
    a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1,
  );
}

/** Maps the reason of an Event to the reason of the timeline item about the same change. */
const RECORDED: Readonly<Record<string, string>> = {
  RolloutStarted: 'TargetChanged',
  RolloutCompleted: 'RolloutCompleted',
  RolloutHalted: 'RolloutHalted',
};
const MOST_APART_MS = 5_000;

/**
 * Returns a filter that excludes Events about changes that a timeline records too. The timeline covers a longer time than the Events and
 * names the cause and the actor.
 */
function notIn(recorded: readonly ActivityItem[]): (event: ActivityItem) => boolean {
  const times = new Map<string, number[]>();
  const keyOf = ({ addOn = '', message }: ActivityItem, reason: string): string =>
    JSON.stringify([addOn, reason, message.slice(0, message.indexOf(': '))]);
  for (const item of recorded) {
    const key = keyOf(item, item.reason);
    times.set(key, [...(times.get(key) ?? []), parseTime(item.at) ?? 0]);
  }
  return (event) => {
    const reason = event.cluster === undefined && Object.hasOwn(RECORDED, event.reason) ? RECORDED[event.reason] : undefined;
    if (reason === undefined) return true;
    const at = parseTime(event.at) ?? 0;
    return !(times.get(keyOf(event, reason)) ?? []).some((time) => Math.abs(time - at) <= MOST_APART_MS);
  };
}

/** Whether the user may see an item, which requires permission to read the object of the item. */
function isVisible({ object, cluster = '' }: ActivityItem, sight: Sight): boolean {
  switch (object?.resource) {
    case 'managedclusteraddons':
      return sight.seesAddOns(cluster);
    case 'managedclusters':
      return sight.seesCluster(cluster);
    case 'addonrollouts':
      return sight.seesRollouts;
    case 'clustermanagementaddons':
      return sight.seesDeclarations;
    case 'rolloutapprovals':
      return sight.seesApprovals;
    default:
      return false;
  }
}

export function activityPage(state: FleetState, sight: Sight, request: ActivityRequest): ActivityPage {
  const items = activityItems(state, sight, request);
  // Compare the positions of events instead of groups, because the last group of the previous page may now begin with a newer event.
  const positions = new Map(items.map(({ id }, position) => [id, position]));
  const before = positions.get(request.before ?? '') ?? -1;
  const older = groupActivity(items).filter(({ item }) => (positions.get(item.id) ?? 0) > before);
  const oldest = items.at(-1)?.at;
  return {
    groups: older.slice(0, PAGE),
    hasMore: older.length > PAGE,
    ...(oldest === undefined ? {} : { reachesBackTo: oldest }),
  };
}
