import type { Contestant } from '../../servers/contestants.js';
import { allOf } from './changes.js';
import type { Scenario } from './index.js';
import { idleMinute } from './idle.js';

/** A type, not an interface, because it is passed as a record of figures. */
type Opened = Readonly<Record<'connections' | 'openSeconds' | 'serverKbPerConnection', number>>;

/** One TLS connection for each cluster: idle, with leases over them, and all of them at once after a break. */
export const connections: Scenario = async (fleet, row) => {
  const { swarm, server } = fleet;
  const count = fleet.clusterCount();
  const memory = await usedMb(server);
  const opening = async (open: () => Promise<void>): Promise<Opened> => {
    const startedAt = performance.now();
    await open();
    const openSeconds = (performance.now() - startedAt) / 1_000;
    return { connections: count, openSeconds, serverKbPerConnection: (((await usedMb(server)) - memory) * 1_024) / count };
  };
  let more: Opened = { connections: 0, openSeconds: 0, serverKbPerConnection: 0 };
  const open = (name: string, act: () => Promise<void>): Promise<void> =>
    row({
      name,
      count: allOf(fleet),
      works: 0,
      act: async () => void (more = await opening(act)),
      isDone: () => true,
      seconds: () => more.openSeconds,
      more: async () => more,
    });
  await open(`${count} connections open`, () => swarm.connect(count));
  await row(idleMinute(fleet, `${count} idle connections`));
  await swarm.renewLeases(60);
  await row(idleMinute(fleet, `${count} connections with leases`));
  await swarm.renewLeases(0);
  await open(`${count} connections again`, () => swarm.connect(count));
  await swarm.connect(0);
};

/** Returns the memory of the API server without garbage, as far as the server can be asked to collect it. */
async function usedMb(server: Contestant): Promise<number> {
  await server.probe?.('collect');
  return server.anonymousMb();
}
