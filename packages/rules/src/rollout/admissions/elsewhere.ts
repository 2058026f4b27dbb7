import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry } from '@outrigger/api';
import type { StepDecision } from '../decide.js';
import type { ObservedCluster, StepInput } from '../input.js';

/**
 * Returns the clusters in the record that continue to another revision. Clusters that joined continue only while the rollout is paused,
 * halted or held by a gate; afterwards they wait for their admission like all others. A cluster in flight through an earlier wildcard
 * admission is recorded by name, because that admission ends with its target.
 */
export function stillElsewhere(
  { groups }: StepInput,
  { holdsJoiners, heldElsewhere }: StepDecision,
  before: RolloutEntry | undefined,
): readonly InFlightCluster[] {
  if (!before?.inFlight) return [];
  const stays = (seen: ObservedCluster): boolean =>
    seen.retarget ? heldElsewhere.has(seen.cluster) : seen.isElsewhere && (holdsJoiners || seen.isUnwritten === true);
  const recorded = new Map(before.inFlight.map((one) => [one.cluster, one]));
  const wildcard = recorded.get(EVERY_CLUSTER);
  return groups.flatMap(({ clusters }) =>
    clusters.filter(stays).flatMap(({ cluster }) => {
      const { revision, admittedAt } = wildcard ?? {};
      if (revision === undefined || admittedAt === undefined || recorded.has(cluster)) return recorded.get(cluster) ?? [];
      return [{ cluster, revision, admittedAt }];
    }),
  );
}
