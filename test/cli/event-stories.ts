import {
  ADDON_GROUP,
  ADDON_VERSION_LABEL,
  CLUSTER_LEASE_NAME,
  UNREACHABLE_TAINT,
  addOnTemplates,
  clusterManagementAddOns,
  leases,
  managedClusterAddOns,
  managedClusters,
} from '@outrigger/api';
import { type Condition, type Kind, type KubeObject, toMicroTime } from '@outrigger/core';
import { expect } from 'vitest';
import { WHY_ADD_ON, type WhyWorld } from './why-stories.js';

interface Occurrence extends KubeObject {
  readonly involvedObject: { readonly name: string };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

const EVENTS: Kind<Occurrence> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

interface EventWorld extends WhyWorld {
  readonly now: () => number;
}

async function eventsAbout({ hub }: EventWorld, namespace: string, name: string, reason: string): Promise<readonly Occurrence[]> {
  const { items } = await hub.list(EVENTS, { namespace });
  return items.filter((event) => event.involvedObject.name === name && event.reason === reason);
}

/**
 * A manifest that cannot be applied causes one Event, which names the cause, although the agent tries again. This scenario must run after
 * the scenario about `why`, which creates the manifest.
 */
export async function applyFailureIsAnEvent(world: EventWorld): Promise<void> {
  const [event, ...more] = await world.eventually('the Event', async () => {
    const found = await eventsAbout(world, 'why1', WHY_ADD_ON, 'ApplyFailed');
    return found.length > 0 ? found : undefined;
  });
  expect(more).toEqual([]);
  expect(event).toMatchObject({ type: 'Warning', count: 1, message: expect.stringContaining('namespaces "nowhere" not found') as string });
}

/** The hub writes one Event when an agent stops renewing its Lease, and one when the agent is reachable again. */
export async function silenceAndReturnAreEvents(world: EventWorld): Promise<void> {
  const { hub, eventually, now } = world;
  const name = 'silent1';
  const condition = (type: string, lastTransitionTime: string): Condition => ({
    type,
    status: 'True',
    reason: 'Reported',
    message: '',
    lastTransitionTime,
  });
  const available = async (at: string): Promise<void> => {
    const { status } = await hub.get(managedClusters, { name });
    const others = (status?.conditions ?? []).filter(
      ({ type }) => type !== 'ManagedClusterConditionAvailable' && type !== 'ManagedClusterJoined',
    );
    const conditions = [
      ...others,
      condition('ManagedClusterJoined', '2020-01-01T00:00:00Z'),
      condition('ManagedClusterConditionAvailable', at),
    ];
    await hub.patch(
      managedClusters,
      { name },
      { type: 'merge', patch: { status: { conditions: conditions as never } } },
      { subresource: 'status' },
    );
  };
  await hub.create(managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name },
    spec: { hubAcceptsClient: true, leaseDurationSeconds: 1 },
  });
  await available('2020-01-01T00:00:01Z');
  const seen = (reason: string): Promise<readonly Occurrence[]> =>
    eventually(`the Event ${reason}`, async () => {
      const found = await eventsAbout(world, 'default', name, reason);
      return found.length > 0 ? found : undefined;
    });
  expect(await seen('ClusterUnreachable')).toMatchObject([{ type: 'Warning', count: 1, message: expect.stringContaining(name) as string }]);
  await eventually('the hub treats it as unreachable', async () => {
    const { spec } = await hub.get(managedClusters, { name });
    return (spec.taints ?? []).some(({ key }) => key === UNREACHABLE_TAINT) ? true : undefined;
  });
  await hub.patch(
    leases,
    { namespace: name, name: CLUSTER_LEASE_NAME },
    {
      type: 'merge',
      patch: { spec: { renewTime: toMicroTime(now() + 3_600_000) } },
    },
  );
  await hub.patch(managedClusters, { name }, { type: 'merge', patch: { spec: { leaseDurationSeconds: 3_600 } } });
  await available('2026-01-01T00:00:00Z');
  expect(await seen('ClusterReachable')).toMatchObject([{ type: 'Normal', count: 1 }]);
  expect(await eventsAbout(world, 'default', name, 'ClusterUnreachable')).toHaveLength(1);
}

/** The hub writes one Event if it may not bind the role that a template requests. */
export async function refusedRegistrationIsAnEvent(world: EventWorld): Promise<void> {
  const { hub } = world;
  const name = 'stranger';
  // The API server refuses the RoleBinding even for a manager with all permissions, because the namespace `not-there` does not exist.
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io' as const, kind: 'Role' as const, name: 'reader-of-it' };
  const apiVersion = `${ADDON_GROUP}/v1alpha1`;
  await hub.create(addOnTemplates, {
    apiVersion,
    kind: 'AddOnTemplate',
    metadata: { name: `${name}-v1`, labels: { [ADDON_VERSION_LABEL]: 'v1' } },
    spec: {
      addonName: name,
      agentSpec: { workload: { manifests: [] } },
      registration: [
        {
          type: 'KubeClient',
          kubeClient: { hubPermissions: [{ type: 'SingleNamespace', singleNamespace: { namespace: 'not-there', roleRef } }] },
        },
      ],
    },
  });
  const defaultConfig = { name: `${name}-v1` };
  await hub.create(clusterManagementAddOns, {
    apiVersion,
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: { supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig }] },
  });
  await hub.create(managedClusterAddOns, { apiVersion, kind: 'ManagedClusterAddOn', metadata: { name, namespace: 'why1' }, spec: {} });
  const [event, ...more] = await world.eventually('the Event', async () => {
    const found = await eventsAbout(world, 'why1', name, 'RegistrationRefused');
    return found.length > 0 ? found : undefined;
  });
  expect(more).toEqual([]);
  expect(event).toMatchObject({ type: 'Warning', count: 1, message: expect.stringContaining('Role reader-of-it in not-there') as string });
}
