import { setTimeout as sleep } from 'node:timers/promises';
import { ADD_ONS_ONLY, type Fleet } from '../fleet.js';
import { allOf } from './changes.js';
import type { Scenario } from './index.js';
import { stopManagers, untilAllQuiet } from './managers.js';

const WINDOW_SECONDS = 60;

/**
 * A settled fleet for a minute, without and with the renewals of leases (one a minute per cluster). The manager runs with all its
 * controllers, because those of clusters read the leases.
 */
export const leases: Scenario = async (fleet, row) => {
  await stopManagers(fleet);
  await fleet.startManager(['--no-leader-election']);
  await untilAllQuiet(fleet);
  await row(idle(fleet, 'one minute without leases'));
  await fleet.swarm.renewLeases(WINDOW_SECONDS);
  await untilAllQuiet(fleet);
  await row(idle(fleet, 'one minute with leases'));
  await fleet.swarm.renewLeases(0);
  await stopManagers(fleet);
  await fleet.startManager(ADD_ONS_ONLY);
};

/** Measures a minute in which nothing changes, except what the agents do. */
export function idle(fleet: Fleet, name: string): Parameters<Parameters<Scenario>[1]>[0] {
  const manager = fleet.managers[0];
  const before = { manager: 0, server: 0 };
  return {
    name,
    count: allOf(fleet),
    async act() {
      before.manager = manager?.cpuMs() ?? 0;
      before.server = fleet.server.cpuMs();
      await sleep(WINDOW_SECONDS * 1_000);
    },
    isDone: () => true,
    more: async () => ({
      managerPercentOfCore: ((manager?.cpuMs() ?? 0) - before.manager) / WINDOW_SECONDS / 10,
      serverPercentOfCore: (fleet.server.cpuMs() - before.server) / WINDOW_SECONDS / 10,
    }),
  };
}
