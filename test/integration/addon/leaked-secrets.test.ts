import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Secret, addOnTemplates, clusterManagementAddOns, clusterRoles, managedClusterAddOns, secrets } from '@outrigger/api';
import { startLocalFleet } from '@outrigger/cli';
import { findCondition } from '@outrigger/core';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../cli/world.js';
import { CANARY, canaryIn, everythingBut } from './leaked-secrets.js';
import { addOnOn, templateOf } from './objects.js';
import { eventually } from '../../world/eventually.js';

const GROUP = 'addon.open-cluster-management.io';
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Commands that show an add-on. Some of them also read objects that are related to the add-on. */
const COMMANDS: readonly (readonly string[])[] = [
  ['get', 'addons', '-o', 'yaml'],
  ['get', 'rollouts', '-o', 'json'],
  ['get', 'revisions', 'hello', '-o', 'yaml'],
  ['render', 'hello', '-c', 'cluster1'],
  ['diff', 'hello', '-c', 'cluster1'],
  ['why', 'hello', '-c', 'cluster1'],
  ['tree'],
  ['doctor'],
];

describe('a secret on its way through the whole system', () => {
  it('AT-29 is in no object, event, log line, error or output of a command', async () => {
    const lines: string[] = [];
    const runtime = createRealRuntime({ log: createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } }) });
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-canary-'));
    const fleet = await startLocalFleet({ runtime, clusters: 1, port: 0, clusterPorts: 0, readyAfterMs: 50 });
    stops.push(
      () => rm(folder, { recursive: true }),
      () => fleet.stop(),
    );
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig);
    const { hub } = fleet;

    const secret = (name: string, stringData: Record<string, string>): Secret => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'default' },
      stringData,
    });
    // The manager may read a Secret or sign for a signer only if an administrator grants this permission.
    const grant = (
      name: string,
      role: string,
      rule: { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] },
    ) =>
      hub.create(clusterRoles, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name, labels: { [`outrigger.dev/aggregate-to-${role}`]: 'true' } },
        rules: [rule],
      });
    await grant('read-secrets', 'config-reader', { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] });
    await grant('sign-birds', 'signers', {
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: ['example.com/birds'],
      verbs: ['approve', 'sign'],
    });
    await hub.create(secrets, secret('settings', { password: `${CANARY}-1` }));
    // The Secret does not contain a valid CA, so signing fails with an error about its content.
    await hub.create(secrets, secret('authority', { 'tls.crt': `${CANARY}-2`, 'tls.key': `${CANARY}-3` }));
    const registration = [
      {
        type: 'CustomSigner',
        customSigner: { signerName: 'example.com/birds', signingCA: { namespace: 'default', name: 'authority' } },
      },
    ] as const;
    await hub.create(addOnTemplates, templateOf('hello', { version: 'v1', registration }));
    await hub.create(clusterManagementAddOns, {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello' },
      spec: {
        supportedConfigs: [
          { group: GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello' } },
          { group: '', resource: 'secrets', defaultConfig: { namespace: 'default', name: 'settings' } },
        ],
      },
    });
    await hub.create(managedClusterAddOns, addOnOn('cluster1', 'hello', { installNamespace: 'default' }));
    const is = (type: string, wanted: string): Promise<true> =>
      eventually(runtime, `${type} ${wanted}`, async () => {
        const { status } = await hub.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello' });
        const found = findCondition(status?.conditions, type);
        return found && `${found.status} ${found.reason}` === wanted ? true : undefined;
      });
    // The workload never starts, because the test makes the signing of its certificate fail.
    await is('ManifestApplied', 'True AddonManifestApplied');
    await eventually(runtime, 'signing has failed', async () => (lines.some((line) => line.includes('authority')) ? true : undefined));

    const outputs: string[] = [];
    const look = async (): Promise<void> => {
      outputs.push(await everythingBut(hub, 'secrets'), await everythingBut(fleet.cluster('cluster1'), 'secrets'));
      for (const command of COMMANDS) {
        const { out, note } = await runCommand(command, runtime, { KUBECONFIG: kubeconfig });
        outputs.push(`${command.join(' ')}\n${out}\n${note}`);
      }
    };
    await look();
    const digest = async (): Promise<string | undefined> => {
      const { status } = await hub.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello' });
      return status?.configReferences?.find(({ resource }) => resource === 'secrets')?.desiredConfig?.specHash;
    };
    const before = await digest();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    await hub.patch(
      secrets,
      { namespace: 'default', name: 'settings' },
      { type: 'merge', patch: { stringData: { password: `${CANARY}-4` } } },
    );
    await eventually(runtime, 'the new digest', async () => ((await digest()) === before ? undefined : true));
    await hub.delete(secrets, { namespace: 'default', name: 'settings' });
    await is('Configured', 'False ConfigurationNotFound');
    await look();

    expect(outputs.join('\n')).toContain('hello-agent');
    expect([...outputs, ...lines].map(canaryIn).filter((found) => found !== undefined)).toEqual([]);
    expect(canaryIn(await everythingBut(hub)), 'what is looked for can be found').toBeDefined();
  });
});
