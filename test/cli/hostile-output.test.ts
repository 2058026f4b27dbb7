import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AddOnTemplate, addOnTemplates, clusterManagementAddOns, managedClusterAddOns, managedClusters } from '@outrigger/api';
import { parseYaml } from '@outrigger/core/yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startCliWorld } from './world.js';

/**
 * Control characters that clear the screen, set a colour, ring the bell, reverse the text direction, hide text and end a C1 string. None of
 * them may reach a terminal.
 */
const HOSTILE = 'evil\u001b[2J\u001b[31mred\u0007\u202egnp\u2066\u200b\u009b31m\u0085';
const API = 'addon.open-cluster-management.io/v1alpha1';

function template(text: string): AddOnTemplate {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' }, data: { text } };
  return {
    apiVersion: API,
    kind: 'AddOnTemplate',
    metadata: { name: 'hello-v1', labels: { 'open-cluster-management.io/addon-version': 'v1' } },
    spec: { addonName: 'hello', agentSpec: { workload: { manifests: [manifest] } } },
  };
}

describe('AT-30 texts of objects stay texts', () => {
  let world: CliWorld;
  let file: string;
  beforeAll(async () => {
    world = await startCliWorld(1);
    const { hub } = world.fleet;
    const declared = {
      apiVersion: API,
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello', annotations: { note: HOSTILE } },
      spec: {
        addOnMeta: { displayName: HOSTILE, description: HOSTILE },
        supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
        dependencies: [{ name: 'absent', type: 'Required' as const, message: HOSTILE }],
        installStrategy: { type: 'ClusterLabelSelector' as const, labelSelector: {} },
      },
    };
    await hub.create(addOnTemplates, template(HOSTILE));
    await hub.create(clusterManagementAddOns, declared);
    await hub.patch(managedClusters, { name: 'cluster1' }, { type: 'merge', patch: { metadata: { annotations: { note: HOSTILE } } } });
    file = join(world.folder, 'changed.json');
    await writeFile(file, JSON.stringify({ ...declared, kind: `ClusterManagementAddOn${HOSTILE}` }));
    await world.eventually('the dependency is missed', async () =>
      (await world.outrigger('why', 'hello', '--cluster', 'cluster1')).out.includes('evil') ? true : undefined,
    );
    await hub.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello' });
    await world.eventually('the revision is recorded', async () =>
      (await world.outrigger('get', 'revisions', '-o', 'name')).out === '' ? undefined : true,
    );
  });
  afterAll(() => world.stop());

  const formats = (...all: readonly string[]): readonly (readonly string[])[] => all.map((format) => ['-o', format]);
  const lists = formats('table', 'wide', 'json', 'yaml', 'name');
  const commands: readonly (readonly string[])[] = [
    ...['addons', 'clusters', 'rollouts', 'revisions'].flatMap((kind) => lists.map((format) => ['get', kind, ...format])),
    ...lists.map((format) => ['get', 'addons', 'hello', ...format]),
    ...lists.map((format) => ['rollout', 'history', 'hello', ...format]),
    ...formats('text', 'json', 'yaml').flatMap((format) => [
      ['why', 'hello', '--cluster', 'cluster1', ...format],
      ['tree', ...format],
    ]),
    ...formats('text', 'json').map((format) => ['doctor', ...format]),
    ...formats('yaml', 'json').flatMap((format) => [
      ['render', 'hello', '--cluster', 'cluster1', ...format],
      ['render', 'hello', '--cluster', 'cluster1', '--works', ...format],
    ]),
    ['rollout', 'status', 'hello'],
    ['upgrade', 'hello', '--to', HOSTILE],
    ['get', HOSTILE],
    [HOSTILE],
    ['get', 'addons', `--${HOSTILE}`],
    ['get', 'addons', '-o', HOSTILE],
    ['completion', HOSTILE],
  ];
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

  it.each(commands.map((args) => ({ line: JSON.stringify(args), args })))('$line', async ({ args }) => {
    const { out, note } = await world.outrigger(...args);
    expect(out + note).not.toBe('');
    expect(UNSAFE.exec(out)).toBe(null);
    expect(UNSAFE.exec(note)).toBe(null);
  });

  it('diff of a hostile change', async () => {
    const changed = join(world.folder, 'template.json');
    await writeFile(changed, JSON.stringify(template(`${HOSTILE} more`)));
    const { code, out } = await world.outrigger('diff', 'hello', '--cluster', 'cluster1', '-f', changed);
    expect(code).toBe(5);
    expect(out).toContain('more');
    expect(UNSAFE.exec(out)).toBe(null);
  });

  it.each(['text', 'json'])('lint of a hostile file, as %s', async (format) => {
    const { out, note } = await world.outrigger('lint', '-f', file, '-o', format);
    expect(out).toContain('evil');
    expect(UNSAFE.exec(out + note)).toBe(null);
  });

  it('AT-49 a version that only the agent of a cluster names is not pinned', async () => {
    const { hub } = world.fleet;
    const key = { namespace: 'cluster1', name: 'foreign' };
    await hub.create(managedClusterAddOns, { apiVersion: API, kind: 'ManagedClusterAddOn', metadata: key, spec: {} });
    await hub.patch(
      managedClusterAddOns,
      key,
      { type: 'merge', patch: { status: { currentVersion: HOSTILE } } },
      { subresource: 'status' },
    );
    const { code, note } = await world.outrigger('rollout', 'skip', 'foreign', '--cluster', 'cluster1');
    expect([code, note]).toEqual([1, expect.stringContaining('foreign on cluster1 has no version to stay at')]);
    expect((await hub.get(managedClusterAddOns, key)).spec.installVersion).toBeUndefined();
  });

  it('machine-readable output is the stored text', async () => {
    for (const format of ['json', 'yaml']) {
      const { out } = await world.outrigger('get', 'addons', '-o', format);
      expect(JSON.stringify(parseYaml(out))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
    }
  });
});
