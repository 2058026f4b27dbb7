import { selectedCount } from '../selection.js';
import { allOf, hasMoved } from './changes.js';
import type { Scenario } from './index.js';

const LAG_MS = 5_000;

/** A share of the clusters stops reporting during an edit, and resumes later. */
export const away: Scenario = async (fleet, row) => {
  const { swarm, seen, options } = fleet;
  const { share, isDone, gone } = affected(fleet);
  swarm.vanish(options.share);
  await row({ name: `edit while ${share} are away`, count: allOf(fleet), works: allOf(fleet), act: () => fleet.edit(), isDone });
  const settledBefore = seen.settled(fleet.image());
  if (settledBefore !== allOf(fleet) - gone) throw new Error('the clusters did not stay away');
  await row({ name: `${share} return`, count: gone, works: 0, act: async () => swarm.vanish(0), isDone: () => hasMoved(fleet) });
};

/** On a share of the clusters, the workloads fail after an edit, and recover later. */
export const failing: Scenario = async (fleet, row) => {
  const { swarm, options } = fleet;
  const { share, isDone, gone } = affected(fleet);
  swarm.fail(options.share);
  await row({ name: `edit that fails on ${share}`, count: allOf(fleet), works: allOf(fleet), act: () => fleet.edit(), isDone });
  await row({ name: `${share} recover`, count: gone, works: 0, act: async () => swarm.fail(0), isDone: () => hasMoved(fleet) });
};

/** A share of the agents reports seconds later than the others. */
export const lagging: Scenario = async (fleet, row) => {
  const { swarm, options } = fleet;
  const { share } = affected(fleet);
  await swarm.lag(options.share, LAG_MS);
  await row({
    name: `edit while ${share} lag by ${LAG_MS / 1_000} s`,
    count: allOf(fleet),
    works: allOf(fleet),
    act: () => fleet.edit(),
    isDone: () => hasMoved(fleet),
  });
  await swarm.lag(0, 0);
};

/**
 * Returns the selected share of the clusters as text, the number of add-ons on these clusters, and whether all add-ons on the other
 * clusters run the current content.
 */
function affected(fleet: Parameters<Scenario>[0]): { readonly share: string; readonly gone: number; readonly isDone: () => boolean } {
  const gone = selectedCount(fleet.clusterCount(), fleet.options.share) * fleet.addOns.length;
  return {
    share: `${Math.round(fleet.options.share * 100)} %`,
    gone,
    isDone: () => fleet.seen.settled(fleet.image()) === allOf(fleet) - gone,
  };
}
