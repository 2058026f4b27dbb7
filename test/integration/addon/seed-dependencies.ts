import { type ManagedClusterAddOn, addOnTemplates, managedClusterAddOns } from '@outrigger/api';
import { expect } from 'vitest';
import { addCluster, createYaml, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/**
 * These scenarios are the examples in the document "Addon Dependency Management" (docs/seeds.md), and the integration test in its test
 * plan.
 */

const OPTIONAL = `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: my-addon
spec:
  addOnMeta:
    displayName: "My Addon"
    description: "An addon that optionally uses ManagedServiceAccount API"
  dependencies:
  - name: managed-serviceaccount
    type: Optional  # Must explicitly set to Optional (Required is the default)
    message: "Token-based access to managed clusters is unavailable"
  installStrategy:
    type: Manual
`;

const REQUIRED = `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: my-critical-addon
spec:
  addOnMeta:
    displayName: "My Critical Addon"
    description: "An addon that requires ManagedServiceAccount API"
  dependencies:
  - name: managed-serviceaccount
    # type: Required is the default, can be omitted
    message: "This addon cannot function without ManagedServiceAccount API"
  installStrategy:
    type: Manual
`;

const PREREQUISITE = `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: managed-serviceaccount
spec:
  installStrategy:
    type: Manual
`;

type Told = Record<string, { status: string; reason: string; message: string } | undefined>;

function told({ status }: ManagedClusterAddOn, ...types: string[]): Told {
  return Object.fromEntries(
    types.map((type) => {
      const found = status?.conditions?.find((condition) => condition.type === type);
      return [type, found && { status: found.status, reason: found.reason, message: found.message }];
    }),
  );
}

export async function declareDependencies(world: AddOnWorld): Promise<void> {
  await addCluster(world, 'cluster1');
  for (const yaml of [OPTIONAL, REQUIRED, PREREQUISITE]) await createYaml(world.hub, yaml);
  for (const addOn of ['my-addon', 'my-critical-addon', 'managed-serviceaccount']) {
    await world.hub.create(addOnTemplates, templateOf(addOn, { version: 'v1' }));
  }
}

/** Example 1 of the document: if an optional dependency is missing, the add-on is available and reports what is missing. */
export async function optionalDependency(world: AddOnWorld): Promise<void> {
  await install(world, 'cluster1', 'my-addon');
  await eventuallyIs(world, 'cluster1', 'my-addon', 'Degraded', 'True DependencyNotSatisfied');
  const clusterAddOn = await eventuallyIs(world, 'cluster1', 'my-addon', 'Available', 'True ProbeAvailable');
  expect(told(clusterAddOn, 'Available', 'Degraded')).toEqual({
    Available: { status: 'True', reason: 'ProbeAvailable', message: 'my-addon add-on is available.' },
    Degraded: {
      status: 'True',
      reason: 'DependencyNotSatisfied',
      message:
        "Optional addon 'managed-serviceaccount' is not installed or not available. Token-based access to managed clusters is unavailable",
    },
  });
}

/**
 * Example 2 and the test plan: an add-on is degraded while its required dependency is missing, and becomes available when the dependency is
 * available.
 */
export async function requiredDependency(world: AddOnWorld): Promise<void> {
  const message =
    "Required addon 'managed-serviceaccount' is not installed or not available. This addon cannot function without ManagedServiceAccount API";
  const lacking = {
    Available: { status: 'False', reason: 'RequiredDependencyNotSatisfied', message },
    Degraded: { status: 'True', reason: 'RequiredDependencyNotSatisfied', message },
  };
  const isLacking = (): Promise<ManagedClusterAddOn> =>
    eventuallyIs(world, 'cluster1', 'my-critical-addon', 'Available', 'False RequiredDependencyNotSatisfied');

  await install(world, 'cluster1', 'my-critical-addon');
  expect(told(await isLacking(), 'Available', 'Degraded')).toEqual(lacking);
  // Dependencies never delay works. They only affect the reported health.
  await eventuallyIs(world, 'cluster1', 'my-critical-addon', 'Progressing', 'False Succeed');

  await install(world, 'cluster1', 'managed-serviceaccount');
  const healthy = await eventuallyIs(world, 'cluster1', 'my-critical-addon', 'Available', 'True ProbeAvailable');
  expect(told(healthy, 'Degraded')).toMatchObject({ Degraded: { status: 'False', reason: 'DependenciesSatisfied' } });

  await world.hub.delete(managedClusterAddOns, { namespace: 'cluster1', name: 'managed-serviceaccount' });
  expect(told(await isLacking(), 'Available', 'Degraded')).toEqual(lacking);
}
