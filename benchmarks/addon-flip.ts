import { managedClusterAddOns } from '@outrigger/api';
import type { KubeObject, Logger } from '@outrigger/core';
import { createClient, createManager } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { createMemoryApi } from '@outrigger/kube/testing';
import { addOnController } from '../packages/hub/src/controllers/addon/controller.js';
import { addOn, condition, declaration } from '../packages/hub/src/controllers/addon/fixtures.js';

/**
 * Measures which keys the manager processes, and at what cost, when an add-on on one of 10,000 clusters stops being available. Prints one
 * JSON line per result.
 *
 *   node --import tsx --conditions=source benchmarks/addon-flip.ts
 */

const CLUSTERS = 10_000;
const DEPENDENTS = ['needy-1', 'needy-2'];
const FLIPPED = 'c5000';

const passes: string[] = [];
const log: Logger = {
  debug(fields, message) {
    if (message === 'pass') passes.push(String(fields['key']));
  },
  info: () => undefined,
  warn: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  child: () => log,
};
const runtime = createRealRuntime({ log });
const api = createMemoryApi({ runtime });
const client = createClient({ transport: api.transport, runtime });

async function load(path: string, object: KubeObject): Promise<void> {
  await client.raw({ method: 'POST', path, body: object });
}

const ADDONS = '/apis/addon.open-cluster-management.io/v1alpha1';
/** This is the state of every add-on that is declared and available but not yet admitted. */
const waiting = condition('Configured', 'False', 'ConfigurationsNotConfigured', 'Configurations updated and not configured yet');
const settled = { conditions: [waiting, condition('Available', 'True', 'Mine')] };

for (const name of ['base', ...DEPENDENTS]) {
  await load(`${ADDONS}/clustermanagementaddons`, declaration(name, name === 'base' ? {} : { dependencies: [{ name: 'base' }] }));
}
for (let i = 0; i < CLUSTERS; i++) {
  const namespace = `c${i}`;
  const cluster = { apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster', metadata: { name: namespace }, spec: {} };
  await load('/apis/cluster.open-cluster-management.io/v1/managedclusters', cluster);
  for (const name of ['base', ...DEPENDENTS]) {
    const one = addOn(name, { metadata: { namespace }, status: settled });
    await load(`${ADDONS}/namespaces/${namespace}/managedclusteraddons`, one);
  }
}

const controller = addOnController({ contentNamespace: 'default', otherConfigs: { get: () => 'Unread' } });
const manager = createManager({ runtime, apis: { hub: client }, controllers: [controller] });
await manager.start();

/** Waits until no pass has run for some time. */
async function quiet(): Promise<void> {
  for (let before = -1; before !== passes.length; ) {
    before = passes.length;
    await runtime.timers.sleep(500);
  }
}

await quiet();
if (new Set(passes).size !== 3 * CLUSTERS) throw new Error(`${new Set(passes).size} keys at the start instead of ${3 * CLUSTERS}`);
const history = api.history.length;
passes.length = 0;
const before = process.cpuUsage();
await client.patch(
  managedClusterAddOns,
  { namespace: FLIPPED, name: 'base' },
  { type: 'merge', patch: { status: { conditions: [waiting, condition('Available', 'False', 'Mine')] } as never } },
  { subresource: 'status' },
);
await quiet();
const { user, system } = process.cpuUsage(before);
await manager.stop();

const keys = [...new Set(passes)].sort();
const wanted = ['base', ...DEPENDENTS].map((name) => `${FLIPPED}/${name}`);
if (keys.join() !== wanted.join()) throw new Error(`passes over ${keys.join(', ')} instead of ${wanted.join(', ')}`);
const degraded = api.history.length - history - 1;
if (degraded !== DEPENDENTS.length) throw new Error(`${degraded} writes instead of one per dependent`);

const results = [
  { name: 'keys looked at when one add-on of 30,000 flips, 2 dependents', value: keys.length, unit: 'keys', budget: 3 },
  // A pass runs over the add-on itself, over each dependent, and over each dependent again when it observes its own write.
  { name: 'passes over them', value: passes.length, unit: 'passes', budget: 5 },
  { name: 'CPU for all of it, waiting included', value: Number(((user + system) / 1000).toFixed(1)), unit: 'ms' },
];
for (const result of results) console.log(JSON.stringify(result));
