import { addOnDeploymentConfigs, clusterManagementAddOns, managedClusterAddOns } from '@outrigger/api';
import { expect } from 'vitest';
import type { WhyWorld } from './why-stories.js';

/** A hub with the sample add-ons available on cluster1. */
export type HandsWorld = WhyWorld;

interface Sleeping {
  readonly sleep: (ms: number) => Promise<void>;
}

/** Runs each kind of `get`, with the options that filter and sort its output. */
export async function getShowsEveryKind({ outrigger }: HandsWorld): Promise<void> {
  const lines = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, out, note } = await outrigger('get', ...args);
    expect({ args, code, note }).toEqual({ args, code: 0, note: out === '' ? note : '' });
    return out.split('\n').filter((line) => line !== '');
  };
  expect(await lines('templates')).toEqual([
    expect.stringMatching(/^NAME +ADDON +VERSION +MANIFESTS/) as string,
    expect.stringMatching(/^hello-v1 +hello +v1 +\d/) as string,
    expect.stringMatching(/^hello-v2 +hello +v2/) as string,
    expect.stringMatching(/^metrics-v1 +metrics +v1/) as string,
  ]);
  expect(await lines('works', '--cluster', 'cluster1')).toEqual([
    expect.stringMatching(/^CLUSTER +NAME +ADDON +MANIFESTS +APPLIED +AVAILABLE/) as string,
    expect.stringMatching(/^cluster1 +addon-hello-deploy-0 +hello +\d+ +True +True/) as string,
    expect.stringMatching(/^cluster1 +addon-metrics-deploy-0 +metrics +\d+ +True +True/) as string,
  ]);
  expect((await lines('events', 'hello')).join('\n')).toMatch(/RolloutStarted|Installed/);
  expect((await lines('events', 'hello'))[0]).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT/);
  expect((await lines('clustersets', '-A'))[0]).toMatch(/^NAME +EMPTY|^$/);
  await lines('placements');
  expect(await lines('works', '--unhealthy', '-o', 'name', '--cluster', 'cluster1')).toEqual([]);
  expect(await lines('templates', '-l', 'open-cluster-management.io/addon-version=v2', '-o', 'name')).toEqual([
    'addontemplate.addon.open-cluster-management.io/hello-v2',
  ]);
  // Names from several clusters include the namespace, so that each line selects one object in kubectl. Names from one given cluster need
  // none.
  const kind = 'managedclusteraddon.addon.open-cluster-management.io';
  expect(await lines('addons', 'hello', '-o', 'name')).toContain(`-n cluster1 ${kind}/hello`);
  expect(await lines('addons', 'hello', '-o', 'name', '--cluster', 'cluster1')).toEqual([`${kind}/hello`]);
  expect(await lines('clusters', 'cluster1', '-o', 'name')).toEqual(['managedcluster.cluster.open-cluster-management.io/cluster1']);
  const versions = (await lines('templates', '--sort-by', 'version')).slice(1).map((line) => line.split(/ +/)[2]);
  expect(versions).toEqual(['v1', 'v1', 'v2']);
  expect(await lines('addons', '-l', 'no=such')).toEqual([]);
  for (const [args, says] of [
    [['templates', '--unhealthy'], 'this kind has no state'],
    [['templates', '--sort-by', 'colour'], 'the columns are NAME, ADDON, VERSION'],
    [['templates', '-l', 'a in'], '--selector a in'],
    [['template', 'helo-v1'], 'did you mean "hello-v1"'],
  ] as const)
    expect(await outrigger('get', ...args)).toMatchObject({ note: expect.stringContaining(says) as string });
}

/** Runs `config set` for the fleet and for one cluster, and `config get`, which shows the layer of each value. */
export async function configShowsItsLayers({ hub, outrigger, eventually }: HandsWorld): Promise<void> {
  expect(await outrigger('config', 'set', 'hello', 'LOG_LEVEL=info', 'COLOR=blue')).toMatchObject({
    code: 0,
    out: expect.stringContaining('AddOnDeploymentConfig default/hello is created, and hello references it') as string,
  });
  const rows = async (): Promise<readonly string[]> =>
    (await outrigger('config', 'get', 'hello', '--cluster', 'cluster1')).out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
  expect(await rows()).toContain('LOG_LEVEL | info | declaration | addondeploymentconfigs/default/hello');
  expect(await outrigger('config', 'set', 'hello', 'LOG_LEVEL=debug', 'COLOR-', '--cluster', 'cluster1')).toMatchObject({ code: 0 });
  expect(await rows()).toContain('LOG_LEVEL | debug | override on cluster1 | addondeploymentconfigs/cluster1/hello');
  expect((await rows()).some((row) => row.startsWith('COLOR'))).toBe(false);
  expect((await outrigger('config', 'set', 'hello', 'LOG_LEVEL=warn')).out).toContain('AddOnDeploymentConfig default/hello is changed');
  expect(await rows()).toContain('LOG_LEVEL | debug | override on cluster1 | addondeploymentconfigs/cluster1/hello');
  const fleet = await hub.get(addOnDeploymentConfigs, { namespace: 'default', name: 'hello' });
  expect(fleet.spec?.agentInstallNamespace).toBe('');
  expect(fleet.spec?.customizedVariables).toEqual([
    { name: 'LOG_LEVEL', value: 'warn' },
    { name: 'COLOR', value: 'blue' },
  ]);
  await eventually('the override is in effect', async () => {
    const { status } = await hub.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello' });
    return status?.configReferences?.some(({ namespace, lastAppliedConfig }) => namespace === 'cluster1' && lastAppliedConfig)
      ? true
      : undefined;
  });
  const json = JSON.parse((await outrigger('config', 'get', 'hello', '-o', 'json')).out) as { values: readonly { layer: string }[] };
  expect(new Set(json.values.map(({ layer }) => layer))).toEqual(new Set(['declaration']));
  expect(await outrigger('config', 'set', 'hello', '1BAD')).toMatchObject({
    code: 2,
    note: expect.stringContaining('write KEY=VALUE') as string,
  });
  expect(await outrigger('config', 'get', 'helo')).toMatchObject({ code: 3 });
}

/**
 * The first `config set` succeeds while the manager writes the status of the declaration. A config that an earlier override left behind
 * brings no values back.
 */
export async function configSetKnowsItsConfig({ hub, outrigger, sleep }: HandsWorld & Sleeping): Promise<void> {
  const metrics = { name: 'metrics' };
  const statusChanges = async (isEnded: () => boolean): Promise<void> => {
    for (let count = 0; !isEnded(); count++) {
      await hub.patch(clusterManagementAddOns, metrics, {
        type: 'merge',
        patch: { metadata: { annotations: { 'example.com/count': `${count}` } } },
      });
      await sleep(1);
    }
  };
  let isEnded = false;
  const changing = statusChanges(() => isEnded);
  const created = await outrigger('config', 'set', 'metrics', 'A=1');
  isEnded = true;
  await changing;
  expect(created).toMatchObject({ code: 0, note: '' });

  const onCluster = (...args: readonly string[]) => outrigger('config', 'set', 'metrics', ...args, '--cluster', 'cluster1');
  expect(await onCluster('B=1')).toMatchObject({ code: 0 });
  expect((await onCluster('B=2', 'C=3')).out).toContain('is changed; only metrics on cluster1 uses it');
  const key = { namespace: 'cluster1', name: 'metrics' };
  await hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { spec: { configs: null } } });
  const kubectl = 'kubectl delete addondeploymentconfigs.addon.open-cluster-management.io metrics --namespace cluster1';
  expect(await onCluster('D=4')).toMatchObject({
    code: 1,
    note: expect.stringMatching(
      `AddOnDeploymentConfig cluster1/metrics exists and metrics on cluster1 does not reference it: .*\`${kubectl}\``,
    ) as string,
  });
  await hub.delete(addOnDeploymentConfigs, key);
  expect(await onCluster('D=4')).toMatchObject({ code: 0 });
  const { spec } = await hub.get(addOnDeploymentConfigs, key);
  expect(spec?.customizedVariables).toEqual([
    { name: 'A', value: '1' },
    { name: 'D', value: '4' },
  ]);
}

/** Runs `diff` with machine-readable output, and the commands that restart workloads. */
export async function diffAndRestart({ outrigger }: HandsWorld): Promise<void> {
  const diff = await outrigger('diff', 'metrics', '--cluster', 'cluster1', '-o', 'json');
  expect(JSON.parse(diff.out)).toEqual({ changes: [] });
  const changed = await outrigger('diff', 'hello', '--to', 'v2', '--cluster', 'cluster1', '-o', 'json');
  const { changes } = JSON.parse(changed.out) as { changes: readonly { name: string; before: object; after: object }[] };
  expect(changed.code).toBe(5);
  expect(changes[0]?.before).not.toEqual(changes[0]?.after);
  const restart = await outrigger('rollout', 'restart', 'hello', '--cluster', 'cluster1');
  expect(restart).toMatchObject({ code: 0, out: expect.stringMatching(/^kubectl rollout restart deployment\/\S+ -n \S+\n$/) as string });
  expect(await outrigger('rollout', 'restart', 'nothing', '--cluster', 'cluster1')).toMatchObject({ code: 3 });
  expect(await outrigger('logs', 'hello', '--cluster', 'cluster1')).toMatchObject({
    code: 2,
    note: expect.stringContaining('the hub has no connection to the managed clusters; use `kubectl logs`') as string,
  });
}
