import { addOnTemplates, clusterManagementAddOns, managedClusterAddOns, namespaces } from '@outrigger/api';
import { type JsonObject, findCondition } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, conditionsOf, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/**
 * Scenarios with one add-on on one cluster: a template that lists an object twice, conditions about credentials that the add-on no longer
 * has, and a manager whose namespace does not exist.
 */

async function declare({ hub }: AddOnWorld, name: string): Promise<void> {
  await hub.create(clusterManagementAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: {},
  });
}

/**
 * An add-on whose template contains an object twice fails, and the error names both positions. The add-on is installed when one of the two
 * is removed.
 */
export async function repeatedObject(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const template = templateOf('repeated', { version: 'v1' });
  const [deployment = {}] = template.spec.agentSpec.workload?.manifests ?? [];
  const note = (data: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'note', namespace: 'repeated' },
    data: { data },
  });
  const withManifests = (manifests: readonly JsonObject[]) => ({ spec: { agentSpec: { workload: { manifests } } } });
  await addCluster(world, 'repeated1');
  await hub.create(addOnTemplates, {
    ...template,
    spec: { ...template.spec, ...withManifests([note('a'), deployment, note('b')]).spec },
  });
  await declare(world, 'repeated');
  await install(world, 'repeated1', 'repeated');
  const failed = await eventuallyIs(world, 'repeated1', 'repeated', 'Progressing', 'False Failed');
  expect(findCondition(failed.status?.conditions, 'Progressing')?.message).toContain(
    'spec.agentSpec.workload.manifests[0] and [2] are the same object',
  );

  await hub.patch(addOnTemplates, { name: 'repeated' }, { type: 'merge', patch: withManifests([note('a'), deployment]) });
  await eventuallyIs(world, 'repeated1', 'repeated', 'Progressing', 'False Succeed');
}

/** The hub removes an agent's condition about a credential when the template no longer needs that credential. */
export async function conditionOfEndedRegistration(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const place = { namespace: 'registered1', name: 'registered' };
  await addCluster(world, place.namespace);
  await hub.create(addOnTemplates, templateOf('registered', { version: 'v1', registration: [{ type: 'KubeClient' }] }));
  await declare(world, 'registered');
  await install(world, place.namespace, place.name);
  const { status } = await eventuallyIs(world, place.namespace, place.name, 'Progressing', 'False Succeed');
  const rotated = {
    type: 'ClusterCertificateRotated',
    status: 'True',
    reason: 'ClientCertificateUpdated',
    message: 'client certificate rotated',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const;
  const patch = { status: { conditions: [...(status?.conditions ?? []), rotated] } } as unknown as JsonObject;
  await hub.patch(managedClusterAddOns, place, { type: 'merge', patch }, { subresource: 'status' });

  await hub.patch(addOnTemplates, { name: 'registered' }, { type: 'merge', patch: { spec: { registration: null } } });
  await world.eventually('the condition is gone with the registration', async () => {
    const found = conditionsOf(await hub.get(managedClusterAddOns, place));
    return found['ClusterCertificateRotated'] === undefined && found['Progressing'] === 'False Succeed' ? true : undefined;
  });
}

/**
 * While the manager's namespace does not exist, TargetsResolved names this namespace as the cause. The hub continues when the namespace is
 * created.
 */
export async function missingManagerNamespace(world: AddOnWorld, namespace: string): Promise<void> {
  const { hub } = world;
  await addCluster(world, 'homeless1');
  await hub.create(addOnTemplates, templateOf('homeless', { version: 'v1' }));
  await declare(world, 'homeless');
  await install(world, 'homeless1', 'homeless');
  const resolved = await world.eventually('TargetsResolved names the namespace', async () => {
    const { status } = await hub.get(clusterManagementAddOns, { name: 'homeless' });
    const found = findCondition(status?.conditions, 'TargetsResolved');
    return found?.reason === 'ContentNotStored' ? found : undefined;
  });
  expect(resolved.message).toContain(`create it: kubectl create namespace ${namespace}`);
  const { status } = await hub.get(managedClusterAddOns, { namespace: 'homeless1', name: 'homeless' });
  expect(JSON.stringify(status ?? {})).not.toContain('does not exist');
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await eventuallyIs(world, 'homeless1', 'homeless', 'Progressing', 'False Succeed');
  await world.eventually('TargetsResolved is True again', async () => {
    const found = await hub.get(clusterManagementAddOns, { name: 'homeless' });
    return findCondition(found.status?.conditions, 'TargetsResolved')?.reason === 'AllResolved' ? true : undefined;
  });
}
