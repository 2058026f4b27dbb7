import { type FailureGroup, compareNames } from '@outrigger/console-contract';
import { clipText } from '@outrigger/core';
import type { FleetState } from '../state/state.js';
import { isReachable, shortReason, stateOf } from './cells.js';
import { count } from './counts.js';
import { MAX_MESSAGE } from './limits.js';
import type { Sight } from './sight.js';

const MOST_GROUPS = 50;
const MOST_ADD_ONS = 50;
const MOST_MESSAGES = 3;
const NAMED_CLUSTERS = 5;

interface Counted {
  count: number;
  readonly addOns: Map<string, number>;
  /**
   * The number of failures with each message, and the first such message. The keys are the messages with `<cluster>` instead of the
   * cluster's name.
   */
  readonly messages: Map<string, { count: number; readonly first: string }>;
  readonly clusters: string[];
}

/**
 * Groups the failures that the user may see by reason, for all add-ons or only for the add-on `only`. Messages that differ only in the name
 * of the cluster are equal.
 */
export function failureGroups(state: FleetState, sight: Sight, only?: string): readonly FailureGroup[] {
  const groups = new Map<string, Counted>();
  for (const [cluster, here] of state.addOns) {
    if (!sight.seesAddOns(cluster)) continue;
    const reachable = isReachable(state, cluster);
    for (const [addOn, { report }] of here) {
      if (only !== undefined && addOn !== only) continue;
      const { cause } = stateOf(report, reachable);
      if (cause === undefined) continue;
      const reason = shortReason(cause);
      const found: Counted = groups.get(reason) ?? { count: 0, addOns: new Map(), messages: new Map(), clusters: [] };
      found.count++;
      count(found.addOns, addOn);
      const message = found.messages.get(general(cause.message, cluster)) ?? { count: 0, first: cause.message };
      message.count++;
      found.messages.set(general(cause.message, cluster), message);
      keepFirst(found.clusters, cluster);
      groups.set(reason, found);
    }
  }
  return [...groups]
    .sort(([reason, a], [other, b]) => b.count - a.count || (reason < other ? -1 : 1))
    .slice(0, MOST_GROUPS)
    .map(([reason, found]) => groupOf(reason, found));
}

function groupOf(reason: string, found: Counted): FailureGroup {
  return {
    reason,
    count: found.count,
    addOns: [...found.addOns]
      .map(([name, number]) => ({ name, count: number }))
      .sort((a, b) => b.count - a.count || compareNames(a.name, b.name))
      .slice(0, MOST_ADD_ONS),
    // A message that occurs once keeps the name of its cluster.
    messages: [...found.messages]
      .sort(([message, a], [other, b]) => b.count - a.count || (message < other ? -1 : 1))
      .slice(0, MOST_MESSAGES)
      .map(([message, { count: number, first }]) => clipText(number === 1 ? first : message, MAX_MESSAGE)),
    moreMessages: Math.max(0, found.messages.size - MOST_MESSAGES),
    clusters: found.clusters,
  };
}

function general(message: string, cluster: string): string {
  return message.replaceAll(cluster, '<cluster>');
}

/** Keeps the first few clusters by name, each once. */
function keepFirst(clusters: string[], cluster: string): void {
  const last = clusters.at(-1);
  if (clusters.length === NAMED_CLUSTERS && last !== undefined && compareNames(last, cluster) < 0) return;
  if (clusters.includes(cluster)) return;
  clusters.push(cluster);
  clusters.sort(compareNames).splice(NAMED_CLUSTERS);
}
