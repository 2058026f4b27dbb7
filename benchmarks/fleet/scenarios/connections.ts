import { allOf } from './changes.js';
import type { Scenario } from './index.js';
import { idle } from './leases.js';

/** One TLS connection for each cluster: idle, with leases over them, and all of them at once after a break. */
export const connections: Scenario = async (fleet, row) => {
  const { swarm, server } = fleet;
  const count = fleet.clusterCount();
  const memory = server.anonymousMb();
  const opening = async (open: () => Promise<void>): Promise<Readonly<Record<string, number>>> => {
    const startedAt = performance.now();
    await open();
    return {
      connections: count,
      openSeconds: (performance.now() - startedAt) / 1_000,
      serverKbPerConnection: ((server.anonymousMb() - memory) * 1_024) / count,
    };
  };
  let more: Readonly<Record<string, number>> = {};
  const open = (name: string, act: () => Promise<void>): Promise<void> =>
    row({
      name,
      count: allOf(fleet),
      act: async () => void (more = await opening(act)),
      isDone: () => true,
      more: async () => more,
    });
  await open(`${count} connections open`, () => swarm.connect(count));
  await row(idle(fleet, `${count} idle connections`));
  await swarm.renewLeases(60);
  await row(idle(fleet, `${count} connections with leases`));
  await swarm.renewLeases(0);
  await open(`${count} connections again`, () => swarm.connect(count));
  await swarm.connect(0);
};
