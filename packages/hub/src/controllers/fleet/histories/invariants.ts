import { type AddOnRolloutStatus, EVERY_CLUSTER, type RolloutEntry, addOnRollouts } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { amountOf, readAmount, readStrategy } from '../../../rollout/strategy.js';
import { membersOf } from '../members.js';
import type { FleetState } from '../state.js';
import type { World } from './world.js';

/** Watches every accepted write of the record, and throws when one breaks the invariant of addons.md §5. */
export function guardRecord(world: World): void {
  world.hub.onChange = (kind, before, after) => {
    if (kind !== addOnRollouts.plural || !after || !world.lastSeen) return;
    const [was, is] = [statusOf(before), statusOf(after)];
    for (const entry of is.entries ?? []) {
      checkEntry(world.lastSeen, was.entries?.find(({ name }) => name === entry.name), entry);
    }
  };
}

function statusOf(object: KubeObject | undefined): AddOnRolloutStatus {
  return (object as { status?: AddOnRolloutStatus } | undefined)?.status ?? {};
}

/** The budget is the one of the strategy and the members that the writer saw: nobody can know newer ones. */
function checkEntry(seen: FleetState, before: RolloutEntry | undefined, after: RolloutEntry): void {
  const wasNamed = new Set((before?.inFlight ?? []).map(({ cluster }) => cluster));
  const named = (after.inFlight ?? []).filter(({ cluster }) => cluster !== EVERY_CLUSTER);
  const admitted = named.filter(({ cluster, revision }) => revision === after.targetRevision && !wasNamed.has(cluster));
  if (admitted.length === 0 || wasNamed.has(EVERY_CLUSTER)) return;
  const members = membersOf(seen).find(({ observation }) => observation.entry.name === after.name);
  const strategy = readStrategy(members?.observation.entry.rolloutStrategy);
  if (strategy.type === 'All') return;
  const size = members?.members.size ?? 0;
  const onTheWay = named.filter(({ parkedSince }) => parkedSince === undefined).length;
  // A group does not wait for those of the one before that have failed, though these keep their place until their deadline.
  const taken = strategy.type === 'Progressive' ? onTheWay : onTheWay - Math.min(onTheWay, after.failed ?? 0);
  const perGroup = amountOf(readAmount(members?.observation.clustersPerGroup) ?? { percent: 100 }, size);
  const budget =
    strategy.type === 'Progressive'
      ? amountOf(strategy.maxConcurrency ?? { count: perGroup }, size)
      : Math.max(0, ...(members?.observation.groups ?? []).map(({ clusters }) => clusters.length));
  const names = admitted.map(({ cluster }) => cluster).join();
  if (taken > budget) throw new Error(`${after.name}: admitting ${names} brings ${taken} in flight, the budget is ${budget}`);
  const tolerated = amountOf(strategy.maxFailures, size);
  if ((after.failed ?? 0) > tolerated) {
    throw new Error(`${after.name}: admitting ${names} with ${after.failed} failures, ${tolerated} are tolerated`);
  }
  if (seen.rollout?.spec.paused && after.completedRevision !== after.targetRevision) {
    throw new Error(`${after.name}: admitting ${names} while paused`);
  }
}
