import {
  type ClusterManagementAddOn,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  roleBindings,
  roles,
  serviceAccounts,
} from '@outrigger/api';
import { type JsonObject, findCondition, isApiError } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/**
 * These scenarios are about add-ons that the hub does not fully control, because another manager renders them or their cluster is
 * unreachable.
 */

function declaration(name: string, spec: ClusterManagementAddOn['spec'] = {}): ClusterManagementAddOn {
  return { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', metadata: { name }, spec };
}

/**
 * The hub creates the ServiceAccount, the Role and the RoleBinding of an add-on with the token driver even if another manager renders the
 * add-on. The hub removes these objects when the driver changes or the add-on is deleted.
 */
export async function tokenOfAnotherManager(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const key = { namespace: 'foreign1', name: 'foreign' };
  await addCluster(world, 'foreign1');
  await hub.create(clusterManagementAddOns, declaration('foreign'));
  await install(world, 'foreign1', 'foreign');
  const report = (status: JsonObject): Promise<unknown> =>
    hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { status } }, { subresource: 'status' });
  const found = async (): Promise<number> => {
    const reads = await Promise.allSettled([
      hub.get(serviceAccounts, { namespace: 'foreign1', name: 'foreign-agent' }),
      hub.get(roles, { namespace: 'foreign1', name: 'foreign-token-role' }),
      hub.get(roleBindings, { namespace: 'foreign1', name: 'foreign-token-role' }),
    ]);
    for (const read of reads) if (read.status === 'rejected' && !isApiError(read.reason, 'NotFound')) throw read.reason;
    return reads.filter(({ status }) => status === 'fulfilled').length;
  };
  const eventuallyHas = (count: number): Promise<unknown> =>
    world.eventually(`${count} objects of the token driver`, async () => ((await found()) === count ? true : undefined));

  await report({ registrations: [{ signerName: 'kubernetes.io/kube-apiserver-client' }], kubeClientDriver: 'token' });
  await eventuallyHas(3);
  const ready = await eventuallyIs(world, 'foreign1', 'foreign', 'TokenInfrastructureReady', 'True TokenInfrastructureReady');
  const account = await hub.get(serviceAccounts, { namespace: 'foreign1', name: 'foreign-agent' });
  expect(findCondition(ready.status?.conditions, 'TokenInfrastructureReady')?.message).toContain(account.metadata.uid ?? '');

  await report({ kubeClientDriver: 'csr' });
  await eventuallyHas(0);
  await world.eventually('the condition is gone', async () => {
    const { status } = await hub.get(managedClusterAddOns, key);
    return findCondition(status?.conditions, 'TokenInfrastructureReady') ? undefined : true;
  });

  await report({ kubeClientDriver: 'token' });
  await eventuallyHas(3);
  await hub.delete(managedClusterAddOns, key);
  await eventuallyHas(0);
}

/**
 * A config kind is supported if another manager lists it in the status of its add-on. Until then, the status lists a reference to this kind
 * without a hash.
 */
export async function kindsOfAnotherManager(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const kind = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' };
  const key = { namespace: 'publisher1', name: 'publisher' };
  await addCluster(world, 'publisher1');
  await hub.create(addOnDeploymentConfigs, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnDeploymentConfig',
    metadata: { namespace: 'publisher1', name: 'own' },
    spec: {},
  });
  await hub.create(clusterManagementAddOns, declaration('publisher'));
  await install(world, 'publisher1', 'publisher');
  const configs = [{ ...kind, namespace: 'publisher1', name: 'own' }];
  await hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { spec: { configs } } });
  const hash = async (): Promise<string | undefined> =>
    (await hub.get(managedClusterAddOns, key)).status?.configReferences?.find(({ resource }) => resource === kind.resource)?.desiredConfig
      ?.specHash;
  await eventuallyIs(world, 'publisher1', 'publisher', 'Configured', 'False ConfigurationUnsupported');
  await world.eventually('the reference is listed without a hash', async () => ((await hash()) === '' ? true : undefined));

  await hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { status: { supportedConfigs: [kind] } } }, { subresource: 'status' });
  await world.eventually('the reference has a hash', async () => ((await hash()) ? true : undefined));
  const { status } = await hub.get(managedClusterAddOns, key);
  expect(findCondition(status?.conditions, 'Configured')?.reason).not.toBe('ConfigurationUnsupported');
}

/**
 * Another manager publishes the versions of its add-on. The hub reports every other version as invalid, on a new add-on and on an installed
 * one. For such an add-on the hub still writes only the conditions that it owns (addons.md §9).
 */
export async function versionsOfAnotherManager(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const key = { namespace: 'offers1', name: 'offers' };
  await addCluster(world, 'offers1');
  await hub.create(clusterManagementAddOns, declaration('offers'));
  const offered = { supportedVersions: ['v1', 'v2'], defaultVersion: 'v1' };
  await hub.patch(clusterManagementAddOns, { name: 'offers' }, { type: 'merge', patch: { status: offered } }, { subresource: 'status' });
  await install(world, 'offers1', 'offers', { installVersion: 'v7' });
  const want = (installVersion: string): Promise<unknown> =>
    hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { spec: { installVersion } } });
  const reports = (versions: string, message: string): Promise<void> =>
    world
      .eventually(`${versions} ${message}`, async () => {
        const { lastVersion, installVersion, currentVersion, conditions } = (await hub.get(managedClusterAddOns, key)).status ?? {};
        expect(`${lastVersion}/${installVersion}/${currentVersion}`).toBe(versions);
        expect(findCondition(conditions, 'Progressing')?.message).toBe(message);
        expect((conditions ?? []).map(({ type }) => type).sort()).toEqual(['Configured', 'Progressing']);
        return true;
      })
      .then(() => undefined);
  await reports('/v7/unknown', 'could not install invalid version v7');

  await want('v1');
  await hub.create(manifestWorks, {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: {
      namespace: 'offers1',
      name: 'addon-offers-deploy-0',
      labels: { 'open-cluster-management.io/addon-name': 'offers', 'open-cluster-management.io/addon-version': 'v1' },
    },
    spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'offers', namespace: 'default' } }] } },
  });
  await reports('unknown/v1/v1', 'install completed with no errors.');
  await want('v7');
  await reports('v1/v7/unknown', 'could not upgrade to invalid version v7');
  await want('v1');
  await reports('unknown/v1/v1', 'install completed with no errors.');
}

/** While a cluster is unreachable, the hub reports a deleted dependency. A dependency that exists keeps its last reported state. */
export async function dependencyOnUnreachableCluster(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, 'silence1');
  for (const name of ['base-a', 'base-b']) {
    await hub.create(addOnTemplates, templateOf(name, { version: 'v1' }));
    await hub.create(clusterManagementAddOns, declaration(name));
    await install(world, 'silence1', name);
  }
  await hub.create(addOnTemplates, templateOf('leaning', { version: 'v1' }));
  await hub.create(clusterManagementAddOns, declaration('leaning', { dependencies: [{ name: 'base-a' }, { name: 'base-b' }] }));
  await install(world, 'silence1', 'leaning');
  for (const name of ['base-a', 'base-b', 'leaning']) await eventuallyIs(world, 'silence1', name, 'Available', 'True ProbeAvailable');

  const condition = {
    type: 'ManagedClusterConditionAvailable',
    status: 'Unknown',
    reason: 'ManagedClusterLeaseUpdateStopped',
    message: 'Registration agent stopped updating its lease.',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await hub.patch(
    managedClusters,
    { name: 'silence1' },
    { type: 'merge', patch: { status: { conditions: [condition] } } },
    { subresource: 'status' },
  );
  for (const name of ['base-a', 'base-b', 'leaning']) {
    await eventuallyIs(world, 'silence1', name, 'Available', 'Unknown ManagedClusterLeaseUpdateStopped');
  }
  const { status } = await hub.get(managedClusterAddOns, { namespace: 'silence1', name: 'leaning' });
  expect(findCondition(status?.conditions, 'Degraded')?.status ?? 'False').toBe('False');

  await hub.delete(managedClusterAddOns, { namespace: 'silence1', name: 'base-a' });
  const degraded = await eventuallyIs(world, 'silence1', 'leaning', 'Degraded', 'True RequiredDependencyNotSatisfied');
  expect(findCondition(degraded.status?.conditions, 'Degraded')?.message).toBe("Required addon 'base-a' is not installed or not available");
  expect(findCondition(degraded.status?.conditions, 'Available')?.reason).toBe('ManagedClusterLeaseUpdateStopped');
}
