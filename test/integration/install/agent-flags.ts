import { readFile } from 'node:fs/promises';
import {
  KIND_DEFINITIONS,
  customResourceDefinition,
  configMaps,
  managedClusters,
  manifestWorks,
  namespaces,
  secrets,
  serviceAccounts,
} from '@outrigger/api';
import { findCondition, isApiError } from '@outrigger/core';
import { parseYamlDocument } from '@outrigger/core/yaml';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import { crds } from '../work/world.js';
import type { FlagWorld } from './hub-flags.js';

const ACCOUNT = { namespace: 'open-cluster-management', name: 'agent-registration-bootstrap' };
const CLUSTER = 'split1';
const NAMESPACE = 'split-agent';
const SECRETS = ['--bootstrap-secret', 'my-bootstrap', '--hub-secret', 'my-credential'];

/**
 * Runs an agent as two processes, as operators of upstream do: one registers the cluster, the other applies works, and both use the same
 * Secrets. Flags set the names of the Secrets, the labels and annotations of the cluster, and the grace period. One server is both the hub
 * and the managed cluster.
 */
export async function splitsTheAgent(world: FlagWorld): Promise<void> {
  const { admin, outrigger, start, eventually } = world;
  expect(await outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--clusteradm', '--apply')).toMatchObject({ code: 0 });
  for (const kind of ['AppliedManifestWork', 'ClusterClaim']) await define(admin, kind);
  const joining = ['--auto-accept', '--bootstrap-user', `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`];
  const quiet = ['--metrics-port', '0', '--log-level', 'error'];
  const stopHub = start('hub', '--no-leader-election', '--namespace', 'split-manager', ...quiet, ...joining);
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await admin.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: NAMESPACE, name: 'my-bootstrap' },
    data: { kubeconfig: btoa(await bootstrapKubeconfig(world)) },
  });
  const agent = (...flags: readonly string[]): (() => Promise<number>) =>
    start('agent', '--cluster-name', CLUSTER, '--namespace', NAMESPACE, ...quiet, ...SECRETS, ...flags);
  const stopWorker = agent('--work-only');
  const described = ['--cluster-annotations', 'agent.open-cluster-management.io/site=a', '--cluster-labels', 'env=test'];
  const stopRegistration = agent('--registration-only', ...described);

  await eventually('the cluster is available', async () => {
    const cluster = await orUndefined(admin.get(managedClusters, { name: CLUSTER }));
    return findCondition(cluster?.status?.conditions, 'ManagedClusterConditionAvailable')?.status === 'True' ? true : undefined;
  });
  const { metadata } = await admin.get(managedClusters, { name: CLUSTER });
  expect(metadata.labels).toMatchObject({ env: 'test' });
  expect(metadata.annotations).toMatchObject({ 'agent.open-cluster-management.io/site': 'a' });
  const names = (await admin.list(secrets, { namespace: NAMESPACE })).items.map((secret) => secret.metadata.name);
  expect(names).toContain('my-credential');
  expect(names).not.toContain('hub-kubeconfig-secret');

  const work = { namespace: CLUSTER, name: 'settings' };
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'settings' }, data: { a: '1' } };
  await admin.create(manifestWorks, {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: work,
    spec: { workload: { manifests: [settings] } },
  });
  await eventually('the work is applied', async () =>
    findCondition((await admin.get(manifestWorks, work)).status?.conditions, 'Applied')?.status === 'True' ? true : undefined,
  );
  await admin.get(configMaps, { namespace: 'default', name: 'settings' });

  // The work disappears although its finalizer has not run. Its objects are removed after the grace period, not after the default of an
  // hour.
  expect(await stopWorker()).toBe(0);
  await admin.patch(manifestWorks, work, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await admin.delete(manifestWorks, work);
  const stopSuccessor = agent('--work-only', '--eviction-grace', '500ms');
  await eventually('the objects of the work are gone', async () =>
    (await orUndefined(admin.get(configMaps, { namespace: 'default', name: 'settings' }))) ? undefined : true,
  );
  expect(await stopSuccessor()).toBe(0);
  expect(await stopRegistration()).toBe(0);
  expect(await stopHub()).toBe(0);
}

async function define(admin: Client, kind: string): Promise<void> {
  const definition = KIND_DEFINITIONS.find((one) => one.kind === kind);
  if (!definition) throw new Error(`no definition of ${kind}`);
  try {
    await admin.create(crds, customResourceDefinition(definition));
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}

/** Returns the administrator's kubeconfig, in which a token of upstream's bootstrap account replaces the administrator's credential. */
async function bootstrapKubeconfig({ admin, kubeconfigPath }: FlagWorld): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { expirationSeconds: 3_600 } };
  const answer = await admin.createSubresource(serviceAccounts, ACCOUNT, 'token', request);
  const { token } = (answer as unknown as { readonly status: { readonly token: string } }).status;
  const config = parseYamlDocument(await readFile(kubeconfigPath, 'utf8')) as { readonly users: readonly { readonly name: string }[] };
  return JSON.stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) });
}

async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
