import { type ManagedClusterAddOn, addOnRollouts, clusterManagementAddOns, manifestWorks } from '@outrigger/api';
import { findCondition, type JsonObject, toTime } from '@outrigger/core';
import { wayBack } from '@outrigger/rules/rollout';
import { expect } from 'vitest';
import { type FleetWorld, addOnOf, applyYaml, choose, expectStatus, join, rollOut } from './world.js';
import { eventually } from '../../world/eventually.js';

/**
 * These scenarios are the examples in the add-on lifecycle document, with the document's own YAML. The tests add what the API requires and
 * the YAML lacks: supportedConfigs, and `namespace: default` for configs.
 */

const SUPPORTED = `  supportedConfigs:
  - group: addon.open-cluster-management.io
    resource: addondeploymentconfigs`;

const entry = (placement: string, config: string, version?: string): string => `    - name: ${placement}
      namespace: default
      addonTemplate:
${version === undefined ? '' : `        installVersion: ${version}\n`}        configs:
        - group: addon.open-cluster-management.io
          resource: addondeploymentconfigs
          name: ${config}
          namespace: default`;

const declaration = (...entries: readonly string[]): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: helloworld
spec:
${SUPPORTED}
  installStrategy:
    type: Placements
    placements:
${entries.join('\n')}
`;

const template = (version: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata:
  name: helloworld-${version}
  labels:
    open-cluster-management.io/addon-version: ${version}
spec:
  addonName: helloworld
  agentSpec:
    workload:
      manifests:
      - apiVersion: v1
        kind: ConfigMap
        metadata:
          name: helloworld
          namespace: default
        data:
          version: ${version}
`;

const config = (name: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnDeploymentConfig
metadata:
  name: ${name}
  namespace: default
spec: {}
`;

/** Returns the spec of an add-on as the document shows it, with the config reference of the install strategy. */
const specWith = (name: string, installVersion?: string): object => ({
  installNamespace: 'open-cluster-management-agent-addon',
  ...(installVersion === undefined ? {} : { installVersion }),
  configs: [{ group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', name, namespace: 'default' }],
});

const SUCCEED = { status: 'False', reason: 'Succeed', message: 'install completed with no errors.' };

async function versionsAre(world: FleetWorld, supportedVersions: readonly string[], defaultVersion: string): Promise<void> {
  const status = await eventually(world, `default version ${defaultVersion}`, async () => {
    const found = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
    return found.status?.defaultVersion === defaultVersion ? found.status : undefined;
  });
  expect(status.supportedVersions).toEqual(supportedVersions);
}

export async function lifecycle(world: FleetWorld): Promise<void> {
  for (const cluster of ['cluster1', 'cluster2']) await join(world, cluster);
  await choose(world, 'global-placement', ['cluster1', 'cluster2']);
  for (const name of ['global-config', 'canary-config']) await applyYaml(world, config(name));

  await freshInstall(world);
  await automaticUpgrade(world);
  await canary(world);
  await rollback(world);
  await wayBackOfOneEntry(world);
  await invalidVersions(world);
}

async function freshInstall(world: FleetWorld): Promise<void> {
  await applyYaml(world, template('v1'));
  await applyYaml(world, declaration(entry('global-placement', 'global-config')));
  await versionsAre(world, ['v1'], 'v1');
  await expectStatus(world, 'cluster1', {
    lastVersion: '',
    installVersion: 'v1',
    currentVersion: 'unknown',
    progressing: { status: 'True', reason: 'Installing', message: 'Installing addon version v1.' },
  });
  for (const cluster of ['cluster1', 'cluster2']) await rollOut(world, cluster, 'v1');
  await expectStatus(world, 'cluster1', { lastVersion: '', installVersion: 'v1', currentVersion: 'v1', progressing: SUCCEED });
  await specIs(world, 'cluster1', specWith('global-config'));
  const { items } = await world.hub.list(manifestWorks, { namespace: 'cluster1' });
  expect(items.map(({ metadata }) => [metadata.name, metadata.labels])).toEqual([
    [
      'addon-helloworld-deploy-0',
      {
        'open-cluster-management.io/addon-name': 'helloworld',
        'open-cluster-management.io/addon-version': 'v1',
      },
    ],
  ]);
  await timelineIs(world, 'global-placement', ['Declaration Completed']);
}

async function automaticUpgrade(world: FleetWorld): Promise<void> {
  await applyYaml(world, template('v2'));
  await versionsAre(world, ['v1', 'v2'], 'v2');
  for (const cluster of ['cluster1', 'cluster2']) await rollOut(world, cluster, 'v2');
  for (const cluster of ['cluster1', 'cluster2']) {
    await expectStatus(world, cluster, { lastVersion: 'v1', installVersion: 'v2', currentVersion: 'v2', progressing: SUCCEED });
  }
  await timelineIs(world, 'global-placement', ['Declaration Completed', 'DefaultVersion Completed']);
  const work = await world.hub.get(manifestWorks, { namespace: 'cluster2', name: 'addon-helloworld-deploy-0' });
  expect(work.metadata).toMatchObject({ generation: 2, labels: { 'open-cluster-management.io/addon-version': 'v2' } });
  expect(findCondition(work.status?.conditions, 'Available')).toMatchObject({
    status: 'True',
    reason: 'ResourcesAvailable',
    message: 'All resources are available',
    observedGeneration: 2,
  });
}

async function canary(world: FleetWorld): Promise<void> {
  // The scenario of enhancement document 001 starts with the fleet on v1, so the test first moves the fleet back to v1.
  await applyYaml(world, declaration(entry('global-placement', 'global-config', 'v1')));
  for (const cluster of ['cluster1', 'cluster2']) await rollOut(world, cluster, 'v1');
  await expectStatus(world, 'cluster1', { lastVersion: 'v2', installVersion: 'v1', currentVersion: 'v1', progressing: SUCCEED });

  await choose(world, 'canary-placement', ['cluster1']);
  await applyYaml(world, declaration(entry('global-placement', 'global-config', 'v1'), entry('canary-placement', 'canary-config', 'v2')));
  await expectStatus(world, 'cluster1', {
    lastVersion: 'v1',
    installVersion: 'v2',
    currentVersion: 'unknown',
    progressing: { status: 'True', reason: 'Upgrading', message: 'Upgrading addon to version v2.' },
  });
  await specIs(world, 'cluster1', specWith('canary-config', 'v2'));
  await rollOut(world, 'cluster1', 'v2');
  await expectStatus(world, 'cluster1', { lastVersion: 'v1', installVersion: 'v2', currentVersion: 'v2', progressing: SUCCEED });
  await expectStatus(world, 'cluster2', { lastVersion: 'v2', installVersion: 'v1', currentVersion: 'v1', progressing: SUCCEED });
  await specIs(world, 'cluster2', specWith('global-config', 'v1'));
  await timelineIs(world, 'canary-placement', ['Declaration Completed']);
}

/** Waits for the spec of the add-on. One controller writes the spec and another one the status, so either may be written first. */
async function specIs(world: FleetWorld, cluster: string, spec: object): Promise<void> {
  await eventually(world, `the spec of the add-on on ${cluster}`, async () => {
    expect((await addOnOf(world, cluster))?.spec).toEqual(spec);
    return true;
  });
}

async function rollback(world: FleetWorld): Promise<void> {
  await applyYaml(world, declaration(entry('global-placement', 'global-config', 'v1'), entry('canary-placement', 'canary-config', 'v1')));
  await expectStatus(world, 'cluster1', {
    lastVersion: 'v2',
    installVersion: 'v1',
    currentVersion: 'unknown',
    progressing: { status: 'True', reason: 'Rollingback', message: 'Rollingback addon to version v1.' },
  });
  await rollOut(world, 'cluster1', 'v1');
  await expectStatus(world, 'cluster1', { lastVersion: 'v2', installVersion: 'v1', currentVersion: 'v1', progressing: SUCCEED });
  await timelineIs(world, 'canary-placement', ['Declaration Completed', 'Declaration Completed']);
}

/** AT-62: one entry is rolled back with its own pin, and the other entry does not change. */
async function wayBackOfOneEntry(world: FleetWorld): Promise<void> {
  const { status } = await world.hub.get(addOnRollouts, { name: 'helloworld' });
  const canaries = status?.entries?.find(({ name }) => name.endsWith('/canary-placement'));
  const revision = canaries && wayBack(canaries);
  if (canaries === undefined || revision === undefined) throw new Error('canary-placement has no way back');
  const pin = (pinnedEntries: readonly { name: string; revision: number }[] | null): Promise<unknown> =>
    world.hub.patch(addOnRollouts, { name: 'helloworld' }, { type: 'merge', patch: { spec: { pinnedEntries } } as unknown as JsonObject });
  await pin([{ name: canaries.name, revision }]);
  await rollOut(world, 'cluster1', 'v2');
  await timelineIs(world, 'canary-placement', ['Declaration Completed', 'Declaration Completed', 'Pin Completed']);
  expect(await currentVersions(world)).toEqual(['v2', 'v1']);
  await pin(null);
  await rollOut(world, 'cluster1', 'v1');
  await timelineIs(world, 'canary-placement', ['Declaration Completed', 'Declaration Completed', 'Pin Completed', 'Pin Completed']);
  expect(await currentVersions(world)).toEqual(['v1', 'v1']);
}

function currentVersions(world: FleetWorld): Promise<readonly (string | undefined)[]> {
  return Promise.all(['cluster1', 'cluster2'].map(async (cluster) => (await addOnOf(world, cluster))?.status?.currentVersion));
}

/** Waits until the timeline of the entry has the expected causes and outcomes, oldest first, and checks who changed the declaration. */
async function timelineIs(world: FleetWorld, placement: string, expected: readonly string[]): Promise<void> {
  const timeline = await eventually(world, `the timeline of ${placement} is ${expected.join(', ')}`, async () => {
    const { status } = await world.hub.get(addOnRollouts, { name: 'helloworld' });
    const changes = status?.entries?.find(({ name }) => name.endsWith(`/${placement}`))?.timeline ?? [];
    const found = changes.map(({ cause, outcome }) => `${cause ?? ''} ${outcome ?? ''}`).reverse();
    return found.join() === expected.join() ? changes : undefined;
  });
  for (const { cause, manager } of timeline) if (cause !== 'Pin') expect(manager === undefined).toBe(cause !== 'Declaration');
  for (const { durations } of timeline)
    expect(durations).toEqual({ p50: expect.any(Number), p90: expect.any(Number), max: expect.any(Number) });
}

async function invalidVersions(world: FleetWorld): Promise<void> {
  const withCanary = (version: string): Promise<void> =>
    applyYaml(world, declaration(entry('global-placement', 'global-config', 'v1'), entry('canary-placement', 'canary-config', version)));
  const failed = (message: string): { status: string; reason: string; message: string } => ({ status: 'False', reason: 'Failed', message });
  await withCanary('v3');
  await expectStatus(world, 'cluster1', {
    lastVersion: 'v1',
    installVersion: 'v3',
    currentVersion: 'unknown',
    progressing: failed('could not upgrade to invalid version v3'),
  });
  // The previous version keeps running.
  const { items } = await world.hub.list(manifestWorks, { namespace: 'cluster1' });
  expect(items.map(({ metadata: { labels = {} } }) => labels['open-cluster-management.io/addon-version'])).toEqual(['v1']);

  await withCanary('v1');
  await expectStatus(world, 'cluster1', { lastVersion: 'unknown', installVersion: 'v1', currentVersion: 'v1', progressing: SUCCEED });
  await withCanary('v0');
  await expectStatus(world, 'cluster1', {
    lastVersion: 'v1',
    installVersion: 'v0',
    currentVersion: 'unknown',
    progressing: failed('could not rollback to invalid version v0'),
  });
}

/** Upgrades all clusters of both placements to v2. */
export async function upgradeEverybody(world: FleetWorld): Promise<void> {
  await applyYaml(world, declaration(entry('global-placement', 'global-config', 'v2'), entry('canary-placement', 'canary-config', 'v2')));
  for (const cluster of ['cluster1', 'cluster2']) {
    await rollOut(world, cluster, 'v2');
    await eventually(world, `${cluster} is at v2`, async () => {
      const clusterAddOn = await addOnOf(world, cluster);
      return clusterAddOn?.spec.installVersion === 'v2' && clusterAddOn.status?.currentVersion === 'v2' ? true : undefined;
    });
  }
}

/**
 * A user sets the version of the add-on on one cluster, and thereby installs, upgrades and rolls back the add-on. The status shows when
 * each step finished.
 */
export async function versionsByHand(world: FleetWorld): Promise<void> {
  await join(world, 'cluster1');
  for (const version of ['v1', 'v2']) await applyYaml(world, template(version));
  await applyYaml(world, manualDeclaration);
  await versionsAre(world, ['v1', 'v2'], 'v2');

  const steps = [
    { to: 'v1', last: '', reason: 'Installing', message: 'Installing addon version v1.' },
    { to: 'v2', last: 'v1', reason: 'Upgrading', message: 'Upgrading addon to version v2.' },
    { to: 'v1', last: 'v2', reason: 'Rollingback', message: 'Rollingback addon to version v1.' },
  ];
  for (const { to, last, reason, message } of steps) {
    await applyYaml(world, addOnAt(to));
    const versions = { lastVersion: last, installVersion: to };
    const moving = await expectStatus(world, 'cluster1', {
      ...versions,
      currentVersion: 'unknown',
      progressing: { status: 'True', reason, message },
    });
    // Times are whole seconds, so the change must end in a later second than it started.
    await eventually(world, 'the next second', async () => (toTime(world.clock.now()) > progressedAt(moving) ? true : undefined));
    await rollOut(world, 'cluster1', to);
    const done = await expectStatus(world, 'cluster1', { ...versions, currentVersion: to, progressing: SUCCEED });
    await specIs(world, 'cluster1', { installNamespace: 'open-cluster-management-agent-addon', installVersion: to });
    expect(progressedAt(done) > progressedAt(moving)).toBe(true);
  }
}

const progressedAt = ({ status }: ManagedClusterAddOn): string =>
  findCondition(status?.conditions, 'Progressing')?.lastTransitionTime ?? '';

const manualDeclaration = `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: helloworld
spec:
${SUPPORTED}
  installStrategy:
    type: Manual
`;

const addOnAt = (version: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: helloworld
  namespace: cluster1
spec:
  installNamespace: open-cluster-management-agent-addon
  installVersion: ${version}
`;

/**
 * An entry names both a version and a template of another version. The declaration and every add-on of the entry report the contradiction,
 * and nothing moves.
 */
export async function disagreement(world: FleetWorld): Promise<void> {
  await join(world, 'cluster1');
  await choose(world, 'global-placement', ['cluster1']);
  await applyYaml(world, config('global-config'));
  for (const version of ['v1', 'v2']) await applyYaml(world, template(version));
  const agreed = declaration(entry('global-placement', 'global-config', 'v1')).replace(SUPPORTED, `${SUPPORTED}\n${SUPPORTED_TEMPLATES}`);
  await applyYaml(world, agreed);
  await rollOut(world, 'cluster1', 'v1');
  const settled = { lastVersion: '', installVersion: 'v1', currentVersion: 'v1', progressing: SUCCEED };
  await expectStatus(world, 'cluster1', settled);

  const message = 'installVersion v1 and template helloworld-v2 (version v2) disagree';
  await applyYaml(world, agreed.trimEnd().concat(TEMPLATE_V2));
  await expectStatus(world, 'cluster1', { ...settled, progressing: { status: 'False', reason: 'Failed', message } });
  const progress = await eventually(world, 'the declaration says so', async () => {
    const { status } = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
    const found = findCondition(status?.installProgressions?.[0]?.conditions, 'Progressing');
    return found?.reason === 'Failed' ? found : undefined;
  });
  expect(progress).toMatchObject({ status: 'False', message: expect.stringContaining(message) });
  const { items } = await world.hub.list(manifestWorks, { namespace: 'cluster1' });
  expect(items.map(({ metadata: { labels = {} } }) => labels['open-cluster-management.io/addon-version'])).toEqual(['v1']);

  await applyYaml(world, agreed);
  await expectStatus(world, 'cluster1', settled);
}

const SUPPORTED_TEMPLATES = `  - group: addon.open-cluster-management.io
    resource: addontemplates`;

const TEMPLATE_V2 = `
        - group: addon.open-cluster-management.io
          resource: addontemplates
          name: helloworld-v2
`;
