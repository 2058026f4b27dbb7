/**
 * Measures the cost of one write on a real kube-apiserver, in processor time of the server: a JSON merge patch of a status with uid and
 * resourceVersion (which the hub sends), a server-side apply and a replacement of the same status, and a create. An install has as many
 * creates as patches, and an edit has only patches, so their ratio explains the time of an edit.
 */
import { KIND_DEFINITIONS, type ManagedClusterAddOn, customResourceDefinition, managedClusterAddOns } from '@outrigger/api';
import type { Condition, Kind } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { startKube } from '../test/harness/index.js';
import { cpuMsOf } from './servers/contestants.js';

const WRITES = 1500;
const CRDS: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
let created = 0;

const kube = await startKube();
try {
  const { connection } = await loadConnection({ kubeconfig: kube.kubeconfigPath });
  const client = createClient({ transport: createHttpTransport(connection, runtime), runtime });
  await prepare(client);
  await measure(client, mergePatch, 200);
  await measure(client, serverSideApply, 200);
  await measure(client, replace, 200);
  const patch = await measure(client, mergePatch, WRITES);
  const apply = await measure(client, serverSideApply, WRITES);
  const replaced = await measure(client, replace, WRITES);
  const creating = await measure(client, create, WRITES);
  report('merge patch, apiserver CPU per status write', patch, 'ms');
  report('server-side apply, apiserver CPU per status write', apply, 'ms');
  report('replacement, apiserver CPU per status write', replaced, 'ms');
  report('create, apiserver CPU per object', creating, 'ms');
  report('server-side apply against merge patch', apply / patch, 'ratio');
  report('replacement against merge patch', replaced / patch, 'ratio');
  report('create against merge patch', creating / patch, 'ratio');
} finally {
  await kube.stop();
}
process.exit(0);

async function prepare(client: Client): Promise<void> {
  const definition = KIND_DEFINITIONS.find(({ kind }) => kind === 'ManagedClusterAddOn');
  if (!definition) throw new Error('ManagedClusterAddOn is not defined');
  await client.create(CRDS, customResourceDefinition(definition));
  for (let attempt = 0; ; attempt++) {
    try {
      await client.create(managedClusterAddOns, {
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        kind: 'ManagedClusterAddOn',
        metadata: { name: 'hello', namespace: 'default' },
        spec: {},
      });
      return;
    } catch (error) {
      if (attempt > 100) throw error;
      await runtime.timers.sleep(100);
    }
  }
}

type Write = (client: Client, current: ManagedClusterAddOn, conditions: readonly Condition[]) => Promise<ManagedClusterAddOn>;

async function measure(client: Client, write: Write, writes: number): Promise<number> {
  let current = await client.get(managedClusterAddOns, { namespace: 'default', name: 'hello' });
  const before = cpuMsOf(kube.pid('kube-apiserver'));
  for (let n = 0; n < writes; n++) current = await write(client, current, conditionsAt(n));
  return (cpuMsOf(kube.pid('kube-apiserver')) - before) / writes;
}

function mergePatch(client: Client, { metadata }: ManagedClusterAddOn, conditions: readonly Condition[]): Promise<ManagedClusterAddOn> {
  const { uid = '', resourceVersion = '' } = metadata;
  const patch = { metadata: { uid, resourceVersion }, status: { conditions: conditions as never } };
  return client.patch(managedClusterAddOns, { namespace: 'default', name: 'hello' }, { type: 'merge', patch }, { subresource: 'status' });
}

function replace(client: Client, current: ManagedClusterAddOn, conditions: readonly Condition[]): Promise<ManagedClusterAddOn> {
  return client.replace(managedClusterAddOns, { ...current, status: { conditions: [...conditions] } }, { subresource: 'status' });
}

/** Creates another object and returns the current one, as the other writes do. */
async function create(client: Client, current: ManagedClusterAddOn): Promise<ManagedClusterAddOn> {
  const { apiVersion, kind } = current;
  const metadata = { name: `hello-${created++}`, namespace: 'default', labels: { bench: 'create' } };
  await client.create(managedClusterAddOns, { apiVersion, kind, metadata, spec: { installNamespace: 'apps' } });
  return current;
}

function serverSideApply(
  client: Client,
  { apiVersion, kind }: ManagedClusterAddOn,
  conditions: readonly Condition[],
): Promise<ManagedClusterAddOn> {
  const object = {
    apiVersion,
    kind,
    metadata: { name: 'hello', namespace: 'default' },
    status: { conditions },
  } as unknown as ManagedClusterAddOn;
  return client.apply(managedClusterAddOns, object, { subresource: 'status', fieldManager: 'bench', force: true });
}

function conditionsAt(n: number): readonly Condition[] {
  return ['Available', 'Degraded', 'Configured', 'Progressing', 'ManifestApplied'].map((type) => ({
    type,
    status: n % 2 === 0 ? 'True' : 'False',
    reason: 'Measured',
    message: `write ${n}`,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
}

function report(name: string, value: number, unit: string): void {
  process.stdout.write(`${JSON.stringify({ name, value: Math.round(value * 1000) / 1000, unit })}\n`);
}
