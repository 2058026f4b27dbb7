import type { Contestant } from '../../servers/contestants.js';
import type { Fleet } from '../fleet.js';
import type { Measurement } from '../measure.js';
import type { Scenario } from './index.js';
import { idleMinute } from './idle.js';

/**
 * Opens one TLS connection for each cluster. Measures opening them, a minute in which they are idle, a minute with lease renewals, and
 * reopening all of them at once.
 */
export const connections: Scenario = async (fleet, row) => {
  const { swarm, server } = fleet;
  const count = fleet.clusterCount();
  const memory = await usedMb(server);
  await row({
    ...opening(fleet, `${count} connections open`),
    more: async () => ({
      connections: count,
      serverSockets: server.openSockets(),
      serverKbPerConnection: (((await usedMb(server)) - memory) * 1_024) / count,
    }),
  });
  await row(idleMinute(fleet, `${count} idle connections`));
  await swarm.renewLeases(fleet.options.renewSeconds);
  await row(idleMinute(fleet, `${count} connections with leases`));
  await swarm.renewLeases(fleet.renewSeconds);
  await row({
    ...opening(fleet, `${count} connections again`),
    more: async () => ({ connections: count, serverSockets: server.openSockets() }),
  });
  await swarm.connect(0);
};

/**
 * Closes the connections that serve one cluster, if there are any, and opens one per cluster. The API server must then have at least one
 * socket per cluster.
 */
function opening({ swarm, server, ...fleet }: Fleet, name: string): Measurement {
  const count = fleet.clusterCount();
  let seconds = 0;
  return {
    name,
    count: count * fleet.addOns.length,
    works: 0,
    async act() {
      const startedAt = performance.now();
      await swarm.connect(count);
      seconds = (performance.now() - startedAt) / 1_000;
    },
    isDone: () => true,
    seconds: () => seconds,
    problem: () => (server.openSockets() < count ? `the API server has only ${server.openSockets()} sockets` : undefined),
  };
}

/** Returns the memory of the API server. Collects garbage first if the server has a probe that can do so. */
async function usedMb(server: Contestant): Promise<number> {
  await server.probe?.('collect');
  return server.anonymousMb();
}
