import { type AddOnTemplate, addOnTemplates, clusterManagementAddOns, managedClusterAddOns } from '@outrigger/api';
import { type JsonObject, isApiError } from '@outrigger/core';
import { expect } from 'vitest';
import type { Ran } from '../../cli/world.js';
import { templateOf } from '../addon/objects.js';
import type { AddOnWorld } from '../addon/world.js';

export interface PinWorld extends Pick<AddOnWorld, 'hub' | 'eventually'> {
  outrigger(...args: readonly string[]): Promise<Ran>;
  /** Three accepted clusters with running agents. */
  readonly clusters: readonly [string, string, string];
}

const API_VERSION = 'addon.open-cluster-management.io/v1alpha1';

/**
 * The two ways in which a fleet admin sets the version of the fleet: through the field that the installer writes, or through the default
 * template.
 */
const WAYS: readonly { readonly addOn: string; readonly spec: (version: string) => JsonObject }[] = [
  {
    addOn: 'by-entry',
    spec: (version) => ({
      supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates' }],
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: {}, addonTemplate: { installVersion: version } },
    }),
  },
  {
    addOn: 'by-default',
    spec: (version) => ({
      supportedConfigs: [
        { group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: `by-default-${version}` } },
      ],
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: {} },
    }),
  },
];

/**
 * A pin to the version that a cluster already runs stays in effect when the fleet moves. `--clear` removes every override, whichever
 * program wrote it.
 */
export async function pinsHold(world: PinWorld): Promise<void> {
  const { hub, outrigger, eventually, clusters } = world;
  const [pinned, follower, patched] = clusters;
  for (const { addOn, spec } of WAYS) {
    const runs = (cluster: string, version: string): Promise<unknown> =>
      eventually(`${addOn} on ${cluster} runs ${version}`, async () => {
        const found = await hub.get(managedClusterAddOns, { namespace: cluster, name: addOn }).catch((error: unknown) => {
          if (isApiError(error, 'NotFound')) return undefined;
          throw error;
        });
        return found?.status?.currentVersion === version ? found : undefined;
      });
    for (const version of ['v1', 'v2'])
      await hub.create(
        addOnTemplates,
        inDefaultNamespace(templateOf(addOn, { name: `${addOn}-${version}`, version, image: `example.com/${addOn}:${version}` })),
      );
    await hub.create(clusterManagementAddOns, {
      apiVersion: API_VERSION,
      kind: 'ClusterManagementAddOn',
      metadata: { name: addOn },
      spec: spec('v1'),
    });
    for (const cluster of clusters) await runs(cluster, 'v1');

    expect(await outrigger('upgrade', addOn, '--cluster', pinned, '--to', 'v1')).toMatchObject({ code: 0 });
    // Pin a cluster as an earlier release did: with a patch whose field manager is the name of the command.
    const key = { namespace: patched, name: addOn };
    await hub.patch(
      managedClusterAddOns,
      key,
      { type: 'merge', patch: { spec: { installVersion: null } } },
      { fieldManager: 'kubectl-edit' },
    );
    await hub.patch(
      managedClusterAddOns,
      key,
      { type: 'merge', patch: { spec: { installVersion: 'v1' } } },
      { fieldManager: 'outrigger-cli' },
    );
    await hub.patch(clusterManagementAddOns, { name: addOn }, { type: 'merge', patch: { spec: spec('v2') } });
    await runs(follower, 'v2');
    for (const cluster of [pinned, patched]) {
      const { spec: wanted, status } = await hub.get(managedClusterAddOns, { namespace: cluster, name: addOn });
      expect({ cluster, wanted: wanted.installVersion, runs: status?.currentVersion }).toEqual({ cluster, wanted: 'v1', runs: 'v1' });
    }
    const { metadata } = await hub.get(managedClusterAddOns, { namespace: pinned, name: addOn });
    const owners = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:installVersion'));
    expect(owners.map(({ manager, operation }) => `${manager} ${operation}`)).toContain('outrigger-pin-version Apply');

    expect(await outrigger('upgrade', addOn, '--cluster', `${pinned},${patched}`, '--clear')).toMatchObject({ code: 0 });
    for (const cluster of [pinned, patched]) await runs(cluster, 'v2');
    await hub.delete(clusterManagementAddOns, { name: addOn });
    await eventually(`${addOn} is gone`, async () =>
      (await hub.list(managedClusterAddOns)).items.some(({ metadata: { name } }) => name === addOn) ? undefined : true,
    );
  }
  await neverCreates(world);
  await enablePins(world);
}

/** Changes the namespace of all manifests to one that exists on every cluster. */
function inDefaultNamespace(template: AddOnTemplate): AddOnTemplate {
  return JSON.parse(JSON.stringify(template).replaceAll(/"namespace":"[^"]*"/g, '"namespace":"default"')) as AddOnTemplate;
}

/** A pin needs an existing add-on, so its server-side apply must not recreate an add-on that was deleted meanwhile. */
async function neverCreates({ hub, outrigger, clusters: [cluster] }: PinWorld): Promise<void> {
  const { addOn, spec } = WAYS[0] as (typeof WAYS)[number];
  await hub.create(clusterManagementAddOns, {
    apiVersion: API_VERSION,
    kind: 'ClusterManagementAddOn',
    metadata: { name: addOn },
    spec: { ...(spec('v1') as object), installStrategy: { type: 'Manual' } } as never,
  });
  const refused = await outrigger('upgrade', addOn, '--cluster', cluster, '--to', 'v2');
  expect(refused).toMatchObject({ code: 3, note: expect.stringContaining(`is not on ${cluster}`) as string });
  const gone = {
    apiVersion: API_VERSION,
    kind: 'ManagedClusterAddOn',
    metadata: { name: addOn, namespace: cluster, uid: 'gone' },
    spec: {},
  };
  await expect(
    hub.apply(managedClusterAddOns, gone as never, { fieldManager: 'outrigger-pin-version', force: true }),
  ).rejects.toMatchObject({
    reason: 'Conflict',
  });
  expect((await hub.list(managedClusterAddOns, { namespace: cluster })).items.filter(({ metadata }) => metadata.name === addOn)).toEqual(
    [],
  );
}

/** Checks that `enable` writes the fields for `--to` and `--install-namespace` with the same field managers as a pin. */
async function enablePins({ hub, outrigger, clusters: [cluster] }: PinWorld): Promise<void> {
  const [{ addOn }] = WAYS as [(typeof WAYS)[number]];
  expect(await outrigger('enable', addOn, '--cluster', cluster, '--to', 'v1', '--install-namespace', 'mine')).toMatchObject({ code: 0 });
  const { metadata, spec } = await hub.get(managedClusterAddOns, { namespace: cluster, name: addOn });
  expect(spec).toMatchObject({ installVersion: 'v1', installNamespace: 'mine' });
  const applied = (metadata.managedFields ?? []).filter(
    ({ operation, manager }) => operation === 'Apply' && manager?.startsWith('outrigger-pin'),
  );
  expect(
    Object.fromEntries(applied.map(({ manager, fieldsV1 }) => [manager, Object.keys((fieldsV1 as JsonObject)['f:spec'] as JsonObject)])),
  ).toEqual({
    'outrigger-pin-namespace': ['f:installNamespace'],
    'outrigger-pin-version': ['f:installVersion'],
  });
}
