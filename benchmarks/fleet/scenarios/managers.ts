import { until, untilQuiet } from '../../footprint/hub.js';
import { ADD_ONS_ONLY, EVERYWHERE, type Fleet } from '../fleet.js';
import { allOf, hasMoved } from './changes.js';
import type { Scenario } from './index.js';
import { TEN_PERCENT } from './strategies.js';

export const restart: Scenario = async (fleet, row) => {
  await stopManagers(fleet);
  await row({
    name: 'restart over a settled fleet',
    count: allOf(fleet),
    act: async () => void (await fleet.startManager(ADD_ONS_ONLY)),
    isDone: () => true,
  });
};

/** Kills the leader when a third of a Progressive upgrade has arrived. The other manager takes over when the Lease of the leader has ended. */
export const failover: Scenario = async (fleet, row) => {
  await stopManagers(fleet);
  const flags = ADD_ONS_ONLY.filter((flag) => flag !== '--no-leader-election');
  const leader = await fleet.startManager(flags);
  await fleet.startManager(flags);
  await fleet.strategy({ ...EVERYWHERE, rolloutStrategy: TEN_PERCENT });
  await untilAllQuiet(fleet);
  let leftAfterKill = 0;
  let killedAt = 0;
  await row({
    name: 'leader killed in an upgrade',
    count: allOf(fleet),
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
  await fleet.startManager(ADD_ONS_ONLY);
};

export async function stopManagers(fleet: Fleet): Promise<void> {
  for (let manager = fleet.managers[0]; manager; manager = fleet.managers[0]) await fleet.stopManager(manager);
}

export async function untilAllQuiet({ managers }: Fleet): Promise<void> {
  for (const manager of managers) await untilQuiet(manager);
}
