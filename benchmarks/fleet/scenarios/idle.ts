import { setTimeout as sleep } from 'node:timers/promises';
import { untilQuiet, untilSettled } from '../../footprint/hub.js';
import { type Fleet, QUIET_WITH_LEASES } from '../fleet.js';
import type { Measurement } from '../measure.js';
import { allOf } from './changes.js';
import type { Scenario } from './index.js';
import { stopManagers, untilAllQuiet } from './managers.js';

const WINDOW_SECONDS = 60;

const NOT_QUIET = 'the manager was not quiet before the minute';

/**
 * Measures a settled fleet for a minute without lease renewals, and for a minute with them (by default one renewal per cluster and minute).
 * The manager runs with all its controllers, because some of them read the leases. The agents also renew the leases while the manager
 * starts: the manager first grants each cluster its permissions with six writes, and without renewals the clusters of a large fleet would
 * become unreachable during this time. In the minute without renewals the clusters stay available, because a lease counts for five minutes
 * after its last renewal.
 */
export const idle: Scenario = async (fleet, row) => {
  await stopManagers(fleet);
  const { renewSeconds } = fleet.options;
  await fleet.swarm.renewLeases(WINDOW_SECONDS);
  await fleet.startManager(['--no-leader-election'], QUIET_WITH_LEASES);
  // After its start, the manager releases memory in steps. Wait for the last step, so that the releases are not measured.
  for (const manager of fleet.managers) await untilSettled(manager, QUIET_WITH_LEASES, fleet.limitMs);
  await fleet.swarm.renewLeases(0);
  const isQuiet = await untilAllQuiet(fleet);
  await row({ ...idleMinute(fleet, 'one minute without leases'), problem: () => (isQuiet ? undefined : NOT_QUIET) });
  await fleet.swarm.renewLeases(renewSeconds);
  let isQuietWithLeases = true;
  for (const manager of fleet.managers) isQuietWithLeases = (await untilQuiet(manager, QUIET_WITH_LEASES)) && isQuietWithLeases;
  await row({ ...idleMinute(fleet, 'one minute with leases'), problem: () => (isQuietWithLeases ? undefined : NOT_QUIET) });
  await fleet.swarm.renewLeases(fleet.renewSeconds);
  await stopManagers(fleet);
  await fleet.startManager(fleet.managerFlags);
};

/** Measures a minute in which nothing changes, except what the agents do. */
export function idleMinute(fleet: Fleet, name: string): Measurement {
  const manager = fleet.managers[0];
  const before = { manager: 0, server: 0 };
  const after = { manager: 0, server: 0 };
  const read = (into: { manager: number; server: number }): void => {
    into.manager = manager?.cpuMs() ?? 0;
    into.server = fleet.server.cpuMs();
  };
  return {
    name,
    count: allOf(fleet),
    works: 0,
    async act() {
      read(before);
      await sleep(WINDOW_SECONDS * 1_000);
      read(after);
    },
    isDone: () => true,
    seconds: () => WINDOW_SECONDS,
    more: async () => ({
      managerPercentOfCore: (after.manager - before.manager) / WINDOW_SECONDS / 10,
      serverPercentOfCore: (after.server - before.server) / WINDOW_SECONDS / 10,
    }),
  };
}
