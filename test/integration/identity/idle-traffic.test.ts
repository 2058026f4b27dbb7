import { type ManifestWork, manifestWorks, namespaces } from '@outrigger/api';
import { type ApiRequest, isConditionTrue } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { CLUSTER, addOnConditionIs, createAddOn, renewLease, sayLeaseMode } from './scenario.js';
import { type Traffic, VirtualWorld } from './world.js';

const MINUTE = 60_000;
const HOURS = 2;
const WORKS = 50;
const MANIFESTS = 10;
const SPACES = ['space-0', 'space-1', 'space-2'];

describe('a joined agent with 50 works of 10 manifests, settled', () => {
  it('sends nothing to either API but its lease, one look at its API server a minute, and watches', async () => {
    const world = await VirtualWorld.start(31);
    world.startManager();
    const { story, process } = await world.run(world.join());
    const { traffic } = process;
    await world.run(
      (async () => {
        for (const name of SPACES) {
          await story.cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
        }
        for (let index = 0; index < WORKS; index++) await world.hub.create(manifestWorks, work(index));
        await story.eventually('all works are applied', async () => {
          const { items } = await world.hub.list(manifestWorks, { namespace: CLUSTER });
          return items.every(({ status }) => isConditionTrue(status?.conditions, 'Available')) ? true : undefined;
        });
      })(),
    );
    await world.simulator.advance(5 * MINUTE);
    const before = sizes(traffic);
    await world.simulator.advance(HOURS * 60 * MINUTE);
    const hub = countOf(traffic.hub.slice(before.hub));
    const cluster = countOf(traffic.cluster.slice(before.cluster));
    const renewals = `PUT /apis/coordination.k8s.io/v1/namespaces/${CLUSTER}/leases/managed-cluster-lease`;
    expect(Object.keys(hub).sort()).toEqual([renewals, 'watch']);
    expect(Object.keys(cluster).sort()).toEqual(['GET /livez', 'GET /version', 'watch']);
    // The agent renews its lease once in 60 to 75 seconds.
    expect(hub[renewals]).toBeGreaterThanOrEqual(HOURS * 48 - 1);
    expect(hub[renewals]).toBeLessThanOrEqual(HOURS * 60 + 1);
    expect(cluster['GET /livez']).toBeLessThanOrEqual(HOURS * 60 + 1);
    expect(cluster['GET /version']).toBeLessThanOrEqual(HOURS * 6 + 1);
    // Servers end watches after five to ten minutes. The agent has one watch for each kind that it follows, and for each kind and namespace
    // of its works.
    expect(hub['watch']).toBeLessThan(5 * HOURS * 13);
    expect(cluster['watch']).toBeLessThan((8 + SPACES.length) * HOURS * 13);
    process.crash();
  });

  it('reads the lease of an add-on never, and writes its health only when it changes', async () => {
    const world = await VirtualWorld.start(32);
    world.startManager();
    const { story, process } = await world.run(world.join());
    const { traffic } = process;
    await world.run(
      (async () => {
        await createAddOn(story, 'leased', {});
        await sayLeaseMode(story, 'leased');
        await renewLease(story, 'leased');
        await addOnConditionIs(story, 'leased', 'Available', 'True');
      })(),
    );
    const before = sizes(traffic);
    for (let minute = 0; minute < 20; minute++) {
      await world.simulator.advance(MINUTE);
      await world.run(renewLease(story, 'leased'));
    }
    expect(Object.keys(countOf(traffic.hub.slice(before.hub))).filter((request) => request.includes('managedclusteraddons'))).toEqual([]);
    expect(Object.keys(countOf(traffic.cluster.slice(before.cluster))).filter((request) => request.includes('leases'))).toEqual([]);
    process.crash();
  });
});

function work(index: number): ManifestWork {
  const manifests = Array.from({ length: MANIFESTS }, (_, manifest) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `settings-${index}-${manifest}`, namespace: SPACES[manifest % SPACES.length] ?? '' },
    data: { work: String(index) },
  }));
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { name: `work-${index}`, namespace: CLUSTER },
    spec: { workload: { manifests } },
  };
}

function sizes({ hub, cluster }: Traffic): Record<keyof Traffic, number> {
  return { hub: hub.length, cluster: cluster.length };
}

/** Returns how often each request was sent. All watches count as one request. */
function countOf(requests: readonly ApiRequest[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method, path, watch } of requests) {
    const name = watch ? 'watch' : `${method} ${path}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
