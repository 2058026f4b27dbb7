import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  manifestWorks,
  secrets,
} from '@outrigger/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startCliWorld } from './world.js';

const CANARY = 'canary-4d1e9b';
const ENCODED = Buffer.from(CANARY).toString('base64').replace(/=+$/, '');
const API = 'addon.open-cluster-management.io/v1alpha1';

describe('AT-29 doctor --bundle of a hub full of secrets', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
    const { hub } = world.fleet;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' }, stringData: { password: CANARY } };
    await hub.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: secret.metadata,
      data: { password: Buffer.from(CANARY).toString('base64') },
    });
    await hub.create(addOnDeploymentConfigs, {
      apiVersion: API,
      kind: 'AddOnDeploymentConfig',
      metadata: { name: 'config', namespace: 'default', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': CANARY } },
      spec: { customizedVariables: [{ name: 'PASSWORD', value: CANARY }], proxyConfig: { httpProxy: `http://user:${CANARY}@proxy` } },
    });
    await hub.create(addOnTemplates, {
      apiVersion: API,
      kind: 'AddOnTemplate',
      metadata: { name: 'hello-v1', labels: { 'open-cluster-management.io/addon-version': 'v1' } },
      spec: {
        addonName: 'hello',
        agentSpec: {
          workload: {
            manifests: [
              { ...secret, metadata: { ...secret.metadata, annotations: { note: CANARY } } },
              { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' }, data: { where: '{{PASSWORD}}' } },
            ],
          },
        },
      },
    });
    await hub.create(clusterManagementAddOns, {
      apiVersion: API,
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello' },
      spec: {
        supportedConfigs: [
          { group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } },
          {
            group: 'addon.open-cluster-management.io',
            resource: 'addondeploymentconfigs',
            defaultConfig: { namespace: 'default', name: 'config' },
          },
        ],
        installStrategy: { type: 'ClusterLabelSelector', labelSelector: {} },
      },
    });
    await hub.apply(
      managedClusterAddOns,
      {
        apiVersion: API,
        kind: 'ManagedClusterAddOn',
        metadata: {
          name: 'hello',
          namespace: 'cluster1',
          annotations: { 'addon.open-cluster-management.io/values': `{"token":"${CANARY}"}` },
        },
        spec: {},
      },
      { fieldManager: 'kubectl' },
    );
    await world.eventually('the secret is in a work', async () =>
      JSON.stringify((await hub.list(manifestWorks)).items).includes(CANARY) ? true : undefined,
    );
  });
  afterAll(() => world.stop());

  it('contains none of them, in its files or its output', async () => {
    const folder = join(world.folder, 'support');
    const ran = await world.outrigger('doctor', '--bundle', folder);
    const files = await readdir(folder);
    expect(files).toContain('manifestworks.yaml');
    const texts = await Promise.all(files.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const));
    const leaks = [...texts, ['standard output', ran.out], ['standard error', ran.note]].filter(
      ([, text = '']) => text.includes(CANARY) || text.includes(ENCODED),
    );
    expect(leaks.map(([name]) => name)).toEqual([]);
  });

  it('AT-26 overwrites nothing, not even through a link', async () => {
    const folder = join(world.folder, 'taken');
    const elsewhere = join(world.folder, 'elsewhere');
    await mkdir(folder);
    await writeFile(elsewhere, 'mine');
    await symlink(elsewhere, join(folder, 'managedclusters.yaml'));
    const { code, note } = await world.outrigger('doctor', '--bundle', folder);
    expect({ code, note }).toEqual({
      code: 2,
      note: expect.stringContaining('managedclusters.yaml exists already: name a new folder') as string,
    });
    expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  });

  it.each(['render', 'diff'])('%s shows that a Secret changes, never what is in it', async (command) => {
    const { out } = await world.outrigger(command, 'hello', '--cluster', 'cluster1');
    const withoutVariables = out.replace(/^.*where: .*$/gm, '').replace(/^.*note: .*$/gm, '');
    expect(withoutVariables).not.toContain(CANARY);
  });
});
