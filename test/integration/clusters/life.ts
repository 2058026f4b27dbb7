import {
  type ManagedClusterAddOn,
  clusterRoles,
  configMaps,
  leases,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  roleBindings,
  subjectAccessReviews,
} from '@outrigger/api';
import type { ApiError } from '@outrigger/core';
import { expect } from 'vitest';
import { absentAsUndefined } from '../placement/world.js';
import { type LifeWorld, accepted, agentIdentity, conditionOf, heldWork, namespaceExists } from './agent.js';

/** These scenarios are about the life of clusters on the hub: acceptance, denial and deletion. They are the same on every server. */

export const refusal = async (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'allowed',
    (error: ApiError) => error.reason,
  );

export function addOn(cluster: string, name: string): ManagedClusterAddOn {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { name, namespace: cluster },
    spec: {},
  };
}

export async function mayRenew(world: LifeWorld, cluster: string): Promise<boolean> {
  const { user, groups } = agentIdentity(cluster);
  const review = await world.hub.create(subjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user,
      groups,
      resourceAttributes: {
        verb: 'renew',
        group: 'register.open-cluster-management.io',
        resource: 'managedclusters',
        subresource: 'clientcertificates',
      },
    },
  });
  return review.status?.allowed === true;
}

/** Accepts a cluster and then denies it. */
export async function denialStory(world: LifeWorld): Promise<void> {
  const agent = await accepted(world, 'c1');
  await world.hub.patch(managedClusters, { name: 'c1' }, { type: 'merge', patch: { spec: { hubAcceptsClient: false } } });
  await conditionOf(world, 'c1', 'HubAcceptedManagedCluster', 'False');
  await world.eventually('its bindings are gone', async () =>
    (await world.hub.list(roleBindings, { namespace: 'c1' })).items.length === 0 ? true : undefined,
  );
  expect(await refusal(agent.hub.get(managedClusters, { name: 'c1' }))).toBe('allowed');
  expect(await refusal(agent.hub.list(leases, { namespace: 'c1' }))).toBe('Forbidden');
  expect(await refusal(agent.hub.list(manifestWorks, { namespace: 'c1' }))).toBe('Forbidden');
  expect(await refusal(agent.report())).toBe('Forbidden');
  expect(await mayRenew(world, 'c1')).toBe(false);
}

/** Deletes a cluster while its agent is running. */
export async function deletionStory(world: LifeWorld): Promise<void> {
  const agent = await accepted(world, 'c1');
  await world.hub.create(managedClusterAddOns, addOn('c1', 'hello'));
  for (const work of [heldWork('c1', 'late', 50), heldWork('c1', 'early')]) await world.hub.create(manifestWorks, work);
  await world.hub.delete(managedClusters, { name: 'c1' });
  expect(await conditionOf(world, 'c1', 'Deleting', 'False')).toMatch(/^ResourceRemaining: /);
  const order: string[] = [];
  await world.eventually('the cluster is gone', async () => {
    const { items } = await world.hub.list(manifestWorks, { namespace: 'c1' });
    // The agent must keep its permissions until its last work is deleted.
    if (items.length > 0) order.push(...(await agent.cleanUp()));
    return (await absentAsUndefined(world.hub.get(managedClusters, { name: 'c1' }))) ? undefined : true;
  });
  expect(order).toEqual(['early', 'late']);
  expect((await world.hub.list(managedClusterAddOns, { namespace: 'c1' })).items).toEqual([]);
  expect((await world.hub.list(roleBindings, { namespace: 'c1' })).items).toEqual([]);
  expect((await world.hub.list(clusterRoles, { labelSelector: 'open-cluster-management.io/cluster-name' })).items).toEqual([]);
  expect(await namespaceExists(world.hub, 'c1')).toBe(true);
}

/** Removes a cluster that is permanently lost. */
export async function forcedStory(world: LifeWorld): Promise<void> {
  await accepted(world, 'c1');
  await world.hub.create(manifestWorks, heldWork('c1', 'w'));
  await world.hub.delete(managedClusters, { name: 'c1' });
  await conditionOf(world, 'c1', 'Deleting', 'False');
  await world.hub.patch(
    managedClusters,
    { name: 'c1' },
    { type: 'merge', patch: { metadata: { annotations: { 'outrigger.dev/detach': 'forced' } } } },
  );
  await world.eventually('the cluster is gone', async () =>
    (await absentAsUndefined(world.hub.get(managedClusters, { name: 'c1' }))) ? undefined : true,
  );
  expect((await world.hub.list(manifestWorks, { namespace: 'c1' })).items).toEqual([]);
  const record = await world.hub.get(configMaps, { namespace: 'c1', name: 'outrigger-left-behind' });
  expect(record.data?.['objects']).toBe('w: v1 ConfigMap tools/w-settings\nw: v1 Namespace tools');
}

/** Deletes the namespace of a cluster that remains joined. The agent cleans up its works, and the cluster continues in a new namespace. */
export async function namespaceStory(world: LifeWorld): Promise<void> {
  const agent = await accepted(world, 'c1');
  for (const name of ['w1', 'w2']) await world.hub.create(manifestWorks, heldWork('c1', name));
  const { metadata: old } = await world.hub.get(namespaces, { name: 'c1' });
  await world.hub.delete(namespaces, { name: 'c1' });
  await world.eventually('the condition names the works that hold the namespace', async () => {
    const told = await conditionOf(world, 'c1', 'HubAcceptedManagedCluster', 'False');
    return /^Error: the namespace c1 is being deleted and waits for manifestworks w1, w2 \(finalizers \S+\)/.test(told) ? true : undefined;
  });
  const released = new Set<string>();
  await world.eventually('a new namespace', async () => {
    const { items } = await world.hub.list(manifestWorks, { namespace: 'c1' });
    // The agent must keep its permission to access works while works remain.
    if (items.length > 0) for (const name of await agent.cleanUp()) released.add(name);
    const now = await absentAsUndefined(world.hub.get(namespaces, { name: 'c1' }));
    return now && now.metadata.uid !== old.uid ? true : undefined;
  });
  expect([...released].sort()).toEqual(['w1', 'w2']);
  await conditionOf(world, 'c1', 'HubAcceptedManagedCluster', 'True');
  await world.eventually('the lease', async () =>
    (await world.hub.list(leases, { namespace: 'c1' })).items.length > 0 ? true : undefined,
  );
  await agent.renew();
  expect(await refusal(agent.hub.list(manifestWorks, { namespace: 'c1' }))).toBe('allowed');
  expect(await mayRenew(world, 'c1')).toBe(true);
}
