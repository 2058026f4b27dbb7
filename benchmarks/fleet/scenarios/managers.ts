import { until, untilQuiet } from '../../footprint/hub.js';
import { managerWrites } from '../manager-requests.js';
import { EVERYWHERE, type Fleet } from '../fleet.js';
import { allOf, hasMoved } from './changes.js';
import type { Scenario } from './index.js';
import { TEN_PERCENT } from './strategies.js';

/** Starts a new manager on the settled fleet. The new manager must change no add-on and no work. */
export const restart: Scenario = async (fleet, row) => {
  await stopManagers(fleet);
  let readySeconds = 0;
  await row({
    name: 'restart over a settled fleet',
    count: allOf(fleet),
    works: 0,
    act: async () => void (readySeconds = (await fleet.startManager(fleet.managerFlags)).readyMs / 1_000),
    isDone: () => true,
    seconds: () => readySeconds,
    more: async () => ({ readySeconds, changes: fleet.seen.changes(), storedWrites: await storedWrites(fleet) }),
  });
};

/** Returns the number of writes that the API server has carried out for the running managers. */
async function storedWrites({ managers }: Fleet): Promise<number> {
  const counts = await Promise.all(managers.map(({ metricsPort }) => managerWrites(metricsPort)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Kills the leader when a third of a Progressive upgrade is done. The other manager takes over when the leader's Lease has expired. */
export const failover: Scenario = async (fleet, row) => {
  await stopManagers(fleet);
  const flags = fleet.managerFlags.filter((flag) => flag !== '--no-leader-election');
  const leader = await fleet.startManager(flags);
  await fleet.startManager(flags);
  await fleet.strategy({ ...EVERYWHERE, rolloutStrategy: TEN_PERCENT });
  await untilAllQuiet(fleet);
  let leftAfterKill = 0;
  let killedAt = 0;
  await row({
    name: 'leader killed in an upgrade',
    count: allOf(fleet),
    works: allOf(fleet),
    async act() {
      await fleet.edit();
      await until('a third has moved', () => fleet.seen.settled(fleet.image()) * 3 >= allOf(fleet), fleet.limitMs);
      await fleet.stopManager(leader, 'SIGKILL');
      killedAt = performance.now();
      leftAfterKill = allOf(fleet) - fleet.seen.settled(fleet.image());
    },
    isDone: () => hasMoved(fleet),
    more: async () => ({ leftAfterKill, secondsAfterKill: (fleet.seen.lastChangeAt() - killedAt) / 1_000 }),
  });
  await fleet.strategy(EVERYWHERE);
  await untilAllQuiet(fleet);
  await stopManagers(fleet);
  await fleet.startManager(fleet.managerFlags);
};

export async function stopManagers(fleet: Fleet): Promise<void> {
  for (let manager = fleet.managers[0]; manager; manager = fleet.managers[0]) await fleet.stopManager(manager);
}

/** Resolves with true when all managers are quiet, or with false if one of them is not quiet within the limit. */
export async function untilAllQuiet({ managers, quiet }: Fleet): Promise<boolean> {
  let isQuiet = true;
  for (const manager of managers) isQuiet = (await untilQuiet(manager, quiet)) && isQuiet;
  return isQuiet;
}
