import { describe, expect, it } from 'vitest';
import { LISTINGS } from '../commands/get/listings.js';
import type { FleetEvent } from './events.js';

const event = (name: string, createdAt: string, lastTimestamp?: string | null): FleetEvent =>
  ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, creationTimestamp: createdAt },
    involvedObject: { apiVersion: 'addon.open-cluster-management.io/v1alpha1', name: 'hello' },
    ...(lastTimestamp === undefined ? {} : { lastTimestamp }),
  }) as FleetEvent;

it('events are in the order of the column LAST SEEN, also those without lastTimestamp', async () => {
  const events = [
    event('third', '2026-01-01T00:03:00Z', null),
    event('first', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'),
    event('second', '2026-01-01T00:02:00Z'),
  ];
  const source = { list: () => Promise.resolve(events as never) };
  const { rows, object } = await LISTINGS.events(source, { kind: 'events', output: 'table' });
  expect(rows.map((row) => object(row).metadata.name)).toEqual(['first', 'second', 'third']);
});

describe('AT-49 an Event that the agent of cluster1 writes', () => {
  const ADDON = 'addon.open-cluster-management.io/v1alpha1';
  const CLUSTER = 'cluster.open-cluster-management.io/v1';
  const listed = async (namespace: string, involvedObject: FleetEvent['involvedObject'], cluster?: string): Promise<number> => {
    const one = { ...event('one', '2026-01-01T00:00:00Z'), metadata: { name: 'one', namespace }, involvedObject };
    const source = { list: () => Promise.resolve([one] as never) };
    const request = { kind: 'events', output: 'table', ...(cluster === undefined ? {} : { cluster }) } as const;
    return (await LISTINGS.events(source, request)).rows.length;
  };

  it.each<[string, FleetEvent['involvedObject'], number]>([
    [
      'about an add-on on its cluster is listed',
      { apiVersion: ADDON, kind: 'ManagedClusterAddOn', name: 'hello', namespace: 'cluster1' },
      1,
    ],
    ['about its cluster is listed', { apiVersion: CLUSTER, kind: 'ManagedCluster', name: 'cluster1', namespace: 'cluster1' }, 1],
    ['about another cluster is not listed', { apiVersion: CLUSTER, kind: 'ManagedCluster', name: 'cluster2', namespace: 'cluster1' }, 0],
    ['about a declaration is not listed', { apiVersion: ADDON, kind: 'ClusterManagementAddOn', name: 'hello', namespace: 'cluster1' }, 0],
    [
      'about a rollout is not listed',
      { apiVersion: 'outrigger.dev/v1alpha1', kind: 'AddOnRollout', name: 'hello', namespace: 'cluster1' },
      0,
    ],
  ])('%s', async (_, about, want) => expect(await listed('cluster1', about)).toBe(want));

  it('is not listed for another cluster, whatever object it names', async () => {
    for (const kind of ['ManagedClusterAddOn', 'Placement', 'Unknown'])
      expect(await listed('cluster1', { apiVersion: ADDON, kind, name: 'cluster2', namespace: 'cluster1' }, 'cluster2')).toBe(0);
  });

  it.each([
    ['default', { apiVersion: CLUSTER, kind: 'ManagedCluster', name: 'cluster2' }],
    ['cluster2', { apiVersion: ADDON, kind: 'ManagedClusterAddOn', name: 'hello', namespace: 'cluster2' }],
  ])('but an Event of the hub in the namespace %s is', async (namespace, about) =>
    expect(await listed(namespace, about, 'cluster2')).toBe(1),
  );
});
