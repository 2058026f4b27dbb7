import { clusterManagementAddOns, manifestWorks } from '@outrigger/api';
import { expect } from 'vitest';
import { type FleetWorld, applyYaml, choose, eventually, expectStatus, join, rollOut } from './world.js';

/** The add-on lifecycle document's examples, its own YAML corrected as the semantics say: supportedConfigs, `namespace: default`. */

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
  await invalidVersions(world);
}

async function freshInstall(world: FleetWorld): Promise<void> {
  await applyYaml(world, template('v1'));
  await applyYaml(world, declaration(entry('global-placement', 'global-config')));
  await versionsAre(world, ['v1'], 'v1');
  await expectStatus(world, 'cluster1', {
    lastVersion: '',
    currentVersion: 'unknown',
    progressing: { status: 'True', reason: 'Installing', message: 'Installing addon version v1.' },
  });
  for (const cluster of ['cluster1', 'cluster2']) await rollOut(world, cluster, 'v1');
  const addOn = await expectStatus(world, 'cluster1', { lastVersion: '', currentVersion: 'v1', progressing: SUCCEED });
  expect(addOn.spec).toEqual({
    installNamespace: 'open-cluster-management-agent-addon',
    configs: [
      { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', name: 'global-config', namespace: 'default' },
    ],
  });
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
}

async function automaticUpgrade(world: FleetWorld): Promise<void> {
  await applyYaml(world, template('v2'));
  await versionsAre(world, ['v1', 'v2'], 'v2');
  for (const cluster of ['cluster1', 'cluster2']) await rollOut(world, cluster, 'v2');
  for (const cluster of ['cluster1', 'cluster2']) {
    await expectStatus(world, cluster, { lastVersion: 'v1', currentVersion: 'v2', progressing: SUCCEED });
  }
}

async function canary(world: FleetWorld): Promise<void> {
  // The version is named before the upgrade; here that takes the fleet back to it first.
  await applyYaml(world, declaration(entry('global-placement', 'global-config', 'v1')));
  for (const cluster of ['cluster1', 'cluster2']) await rollOut(world, cluster, 'v1');
  await expectStatus(world, 'cluster1', { lastVersion: 'v2', currentVersion: 'v1', progressing: SUCCEED });

  await choose(world, 'canary-placement', ['cluster1']);
  await applyYaml(world, declaration(entry('global-placement', 'global-config', 'v1'), entry('canary-placement', 'canary-config', 'v2')));
  const upgrading = await expectStatus(world, 'cluster1', {
    lastVersion: 'v1',
    currentVersion: 'unknown',
    progressing: { status: 'True', reason: 'Upgrading', message: 'Upgrading addon to version v2.' },
  });
  expect(upgrading.spec.installVersion).toBe('v2');
  await rollOut(world, 'cluster1', 'v2');
  await expectStatus(world, 'cluster1', { lastVersion: 'v1', currentVersion: 'v2', progressing: SUCCEED });
  const other = await expectStatus(world, 'cluster2', { lastVersion: 'v2', currentVersion: 'v1', progressing: SUCCEED });
  expect(other.spec.installVersion).toBe('v1');
}

async function rollback(world: FleetWorld): Promise<void> {
  await applyYaml(world, declaration(entry('global-placement', 'global-config', 'v1'), entry('canary-placement', 'canary-config', 'v1')));
  await expectStatus(world, 'cluster1', {
    lastVersion: 'v2',
    currentVersion: 'unknown',
    progressing: { status: 'True', reason: 'Rollingback', message: 'Rollingback addon to version v1.' },
  });
  await rollOut(world, 'cluster1', 'v1');
  await expectStatus(world, 'cluster1', { lastVersion: 'v2', currentVersion: 'v1', progressing: SUCCEED });
}

async function invalidVersions(world: FleetWorld): Promise<void> {
  const withCanary = (version: string): Promise<void> =>
    applyYaml(world, declaration(entry('global-placement', 'global-config', 'v1'), entry('canary-placement', 'canary-config', version)));
  const failed = (message: string): { status: string; reason: string; message: string } => ({ status: 'False', reason: 'Failed', message });
  await withCanary('v3');
  await expectStatus(world, 'cluster1', {
    lastVersion: 'v1',
    currentVersion: 'unknown',
    progressing: failed('could not upgrade to invalid version v3'),
  });
  // What ran goes on running.
  const { items } = await world.hub.list(manifestWorks, { namespace: 'cluster1' });
  expect(items.map(({ metadata: { labels = {} } }) => labels['open-cluster-management.io/addon-version'])).toEqual(['v1']);

  await withCanary('v1');
  await expectStatus(world, 'cluster1', { lastVersion: 'unknown', currentVersion: 'v1', progressing: SUCCEED });
  await withCanary('v0');
  await expectStatus(world, 'cluster1', {
    lastVersion: 'v1',
    currentVersion: 'unknown',
    progressing: failed('could not rollback to invalid version v0'),
  });
}
