import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  HUB_NAMESPACE,
  KIND_DEFINITIONS,
  type RoleBinding,
  addOnClusterGroup,
  clusterManagementAddOns,
  clusterManagementAddOnsV1beta1,
  convertObject,
  type customResourceDefinition,
  hubPermissionBindingName,
  managedClusterAddOnsV1beta1,
  namespaces,
  roleBindings,
} from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import type { Ran } from '../../cli/world.js';
import { OVER_SOCKETS } from '../../world/eventually.js';
import { createMarkedObjects, expectUnmarked, workVersion } from './marks.js';
import { upstreamDefinitions, withoutAddedFields } from '../addon/upstream-definitions.js';

/** A hub on which another program has installed its own CRDs and converts between their versions. */
export interface OtherHub {
  readonly hub: Client;
  outrigger(...args: readonly string[]): Promise<Ran>;
}

const CRDS: Kind<KubeObject & { readonly spec: Readonly<Record<string, unknown>> }> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** Returns the CRDs of a hub that another manager installed: upstream's kinds, without Outrigger's own kinds. */
export function otherDefinitions(conversion: Parameters<typeof customResourceDefinition>[1]): readonly KubeObject[] {
  return upstreamDefinitions(conversion).filter(({ metadata }) => !metadata.name?.endsWith('.outrigger.dev'));
}

/**
 * Returns the CRDs of `otherDefinitions` without size limits and rules. On such CRDs, CEL rules about the fields that Outrigger adds cost
 * more than an API server allows.
 */
export function unboundedDefinitions(conversion: Parameters<typeof customResourceDefinition>[1]): readonly KubeObject[] {
  const stripped = ['maxLength', 'maxItems', 'maxProperties', 'x-kubernetes-validations'];
  const without = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).filter(([name, one]) => !stripped.includes(name) || (typeof one === 'object' && !Array.isArray(one))),
        )
      : value;
  return JSON.parse(JSON.stringify(otherDefinitions(conversion), without)) as readonly KubeObject[];
}

/**
 * Without size limits in the installed CRDs, CEL rules have a higher estimated cost. The API server must still accept the fields that
 * Outrigger adds.
 */
export async function addsFieldsToUnbounded({ hub, outrigger }: OtherHub): Promise<void> {
  expect(await outrigger('install', 'hub', '--crds-only', '--apply')).toMatchObject({ code: 0, note: '' });
  await hub.create(clusterManagementAddOns, DECLARATION);
  expect((await hub.get(clusterManagementAddOns, { name: 'ours' })).spec).toMatchObject(DECLARATION.spec);
  expect(await outrigger('uninstall', 'hub', '--apply')).toMatchObject({ code: 0 });
}

/** Converts an object as a program with upstream's types does, which drops unknown fields. */
export function forgetfulConvert(object: KubeObject, apiVersion: string): KubeObject {
  return withoutAddedFields(convertObject(withoutAddedFields(object), apiVersion));
}

const DECLARATION = {
  apiVersion: 'addon.open-cluster-management.io/v1alpha1',
  kind: 'ClusterManagementAddOn',
  metadata: { name: 'ours' },
  spec: { dependencies: [{ name: 'other', type: 'Required' }], installStrategy: { type: 'ClusterLabelSelector', labelSelector: {} } },
} as const;

/** The binding of a hub permission that our manager creates. */
const OUR_BINDING: RoleBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: {
    namespace: 'c1',
    name: hubPermissionBindingName('c1', 'hello', { kind: 'ClusterRole', name: 'view' }),
    labels: { [ADDON_NAME_LABEL]: 'hello', [CLUSTER_NAME_LABEL]: 'c1' },
  },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: addOnClusterGroup('c1', 'hello') }],
};

async function permissionBindings(hub: Client): Promise<readonly string[]> {
  return (await hub.list(roleBindings, { namespace: 'c1' })).items.map(({ metadata }) => metadata.name ?? '');
}

async function definitionsOf(hub: Client): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const names = new Set(KIND_DEFINITIONS.map(({ group, plural }) => `${plural}.${group}`));
  const { items } = await hub.list(CRDS);
  return Object.fromEntries(items.flatMap(({ metadata: { name = '' }, spec }) => (names.has(name) ? [[name, spec] as const] : [])));
}

/** Installing next to another program keeps its CRDs, and uninstalling restores exactly the previous state. */
export async function keepsWhatAnotherInstalled({ hub, outrigger }: OtherHub): Promise<void> {
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HUB_NAMESPACE } });
  await hub.create(clusterManagementAddOnsV1beta1, {
    apiVersion: 'addon.open-cluster-management.io/v1beta1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'theirs' },
    spec: {},
  });
  const found = await definitionsOf(hub);
  const served = (specs: typeof found): unknown =>
    Object.entries(specs)
      .filter(([name]) => found[name])
      .map(([name, { conversion, versions }]) => ({
        name,
        conversion,
        versions: (versions as readonly Readonly<Record<string, unknown>>[]).map((version) => [
          version['name'],
          version['served'],
          version['storage'],
        ]),
      }));

  /**
   * Waits until the hub has exactly the earlier CRDs, because a real server deletes a CRD after its objects. The limit only guards against
   * a hang.
   */
  const onlyOursAreDeleted = async (): Promise<void> => {
    const limits = { timeout: OVER_SOCKETS.limitMs, message: 'only what we brought is deleted' };
    await expect.poll(() => definitionsOf(hub), limits).toEqual(found);
  };

  expect(await outrigger('install', 'hub', '--crds-only', '--apply')).toMatchObject({ code: 0, note: '' });
  const installed = await definitionsOf(hub);
  expect(served(installed), 'served, stored and converted as found').toEqual(served(found));
  await hub.list(clusterManagementAddOnsV1beta1);
  await hub.list(managedClusterAddOnsV1beta1);
  expect(await outrigger('install', 'hub', '--crds-only', '--apply')).toMatchObject({ code: 0, note: '' });
  expect(await definitionsOf(hub), 'a second time changes nothing').toEqual(installed);

  await hub.create(clusterManagementAddOns, DECLARATION);
  expect((await hub.get(clusterManagementAddOns, { name: 'ours' })).spec, 'our fields are accepted').toMatchObject(DECLARATION.spec);
  await losesFieldsThroughV1beta1(hub);
  const lost = await outrigger('doctor');
  expect(lost.out).toMatch(
    /fields +problem +a program that reads and writes v1beta1 here loses our fields.*ClusterManagementAddOn spec\.dependencies/,
  );
  expect(lost.out).toContain('ManagedClusterAddOn spec.installVersion');

  // The other program's operator restores its own schema, as it does after an upgrade.
  for (const [name, { versions }] of Object.entries(found))
    await hub.patch(CRDS, { name }, { type: 'merge', patch: { spec: { versions } } as never }, { fieldManager: 'operator' });
  expect((await outrigger('doctor')).out).toMatch(/fields +problem +definitions lack our fields.*spec\.dependencies.*off: dependencies/);
  expect(await outrigger('install', 'hub', '--crds-only', '--apply')).toMatchObject({ code: 0 });
  expect(await definitionsOf(hub)).toEqual(installed);

  // Earlier releases of this command left v1beta1 unserved. The test restores that state.
  const name = 'clustermanagementaddons.addon.open-cluster-management.io';
  const { versions = [] } = (installed[name] ?? {}) as { readonly versions?: readonly { readonly name: string }[] };
  const off = versions.map((one) => ({ ...one, served: one.name !== 'v1beta1' }));
  await hub.patch(CRDS, { name }, { type: 'merge', patch: { spec: { versions: off } } });
  const unserved = await doctorEventually(hub, outrigger, /not in these versions: ClusterManagementAddOn v1beta1/);
  expect(unserved.out).toContain('kubectl patch customresourcedefinition');
  await hub.patch(CRDS, { name }, { type: 'merge', patch: { spec: { versions } } });

  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'c1' } });
  await hub.create(roleBindings, OUR_BINDING);
  expect(await outrigger('uninstall', 'hub', '--apply')).toMatchObject({ code: 0 });
  expect(await permissionBindings(hub), 'the other manager gets the permission under its own name').toEqual([
    'open-cluster-management:hello:clusterrole:agent',
  ]);
  expect(Object.fromEntries(Object.entries(await definitionsOf(hub)).filter(([one]) => found[one])), 'as found').toEqual(found);
  const annotations = await Promise.all(
    Object.keys(found).map(async (one) => (await hub.get(CRDS, { name: one })).metadata.annotations ?? {}),
  );
  expect(annotations.flatMap((all) => Object.keys(all)).filter((one) => one.startsWith('outrigger.dev/'))).toEqual([]);

  // The previous uninstall has restored the CRDs, so they no longer show that another program installed them.
  expect(await outrigger('uninstall', 'hub', '--apply', '--delete-kinds')).toMatchObject({ code: 0 });
  await onlyOursAreDeleted();

  expect(await outrigger('install', 'hub', '--crds-only', '--apply')).toMatchObject({ code: 0 });
  await createMarkedObjects(hub);
  const unmarkedWork = await workVersion(hub);
  const preview = await outrigger('uninstall', 'hub', '--delete-kinds');
  expect(Object.keys(found).filter((name) => preview.out.includes(`CustomResourceDefinition ${name}\n`))).toEqual([]);
  expect(preview.out).toContain('CustomResourceDefinition addonrollouts.outrigger.dev\n');
  expect(await outrigger('uninstall', 'hub', '--apply', '--delete-kinds')).toMatchObject({ code: 0 });
  await expectUnmarked(hub, unmarkedWork);
  await onlyOursAreDeleted();
  expect((await hub.get(clusterManagementAddOns, { name: 'theirs' })).metadata.name).toBe('theirs');
  expect((await hub.get(namespaces, { name: HUB_NAMESPACE })).metadata.deletionTimestamp).toBeUndefined();
}

/** Reads an object as v1beta1 and writes it back, as the other program does on every write. */
async function losesFieldsThroughV1beta1(hub: Client): Promise<void> {
  const seen = await hub.get(clusterManagementAddOnsV1beta1, { name: 'ours' });
  expect(seen.spec).not.toHaveProperty('dependencies');
  await hub.replace(clusterManagementAddOnsV1beta1, { ...seen, metadata: { ...seen.metadata, labels: { touched: 'yes' } } });
  expect((await hub.get(clusterManagementAddOns, { name: 'ours' })).spec).not.toHaveProperty('dependencies');
}

/** Runs doctor until it prints the text, because API servers stop serving a version only a moment after its CRD changes. */
async function doctorEventually(hub: Client, outrigger: OtherHub['outrigger'], says: RegExp): Promise<Ran> {
  for (let look = 0; ; look++) {
    const ran = await outrigger('doctor');
    if (says.test(ran.out) || look === 20) {
      expect(ran.out).toMatch(says);
      return ran;
    }
    hub.discovery.invalidate();
  }
}
