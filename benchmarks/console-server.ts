/**
 * Measures the server side of the console with 10,000 clusters and 20 add-ons: its heap per cluster and add-on, and the time to compute the
 * views that every user opens.
 *
 *   npm run bench -- console-server
 */
import { encodeFleet } from '@outrigger/console-contract';
import type { KubeObject } from '@outrigger/core';
import { ConsoleState } from '../packages/console-server/src/state/state.js';
import { fleetTable } from '../packages/console-server/src/views/fleet.js';
import { SEES_ALL } from '../packages/console-server/src/views/sight.js';
import { summaryOf } from '../packages/console-server/src/views/summary.js';

const CLUSTERS = 10_000;
const ADD_ONS = 20;
const START = Date.parse('2026-11-16T00:00:00Z');

const report = (name: string, value: number, unit: string, budget?: number): void => {
  process.stdout.write(
    `${JSON.stringify({ name, value: Math.round(value * 100) / 100, unit, ...(budget === undefined ? {} : { budget }) })}\n`,
  );
};

const time = (seconds: number): string => new Date(START + seconds * 1_000).toISOString().replace('.000Z', 'Z');

function cluster(index: number): KubeObject {
  const condition = { type: 'ManagedClusterConditionAvailable', status: 'True', reason: 'ManagedClusterAvailable', message: 'available' };
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: {
      name: `cluster-${index}`,
      uid: `uid-${index}`,
      labels: { region: `region-${index % 20}`, env: index % 3 === 0 ? 'test' : 'prod' },
    },
    spec: { hubAcceptsClient: true },
    status: { conditions: [{ ...condition, lastTransitionTime: time(index) }], version: { kubernetes: 'v1.35.4' } },
  } as KubeObject;
}

/** Returns an add-on as a real hub stores it: conditions with their own times, and configs with digests. */
function addOn(index: number, number: number): KubeObject {
  const name = `add-on-${number}`;
  const isFailed = (index + number) % 97 === 0;
  const conditions = [
    ['Configured', 'True', 'ConfigurationsConfigured', 'configurations are resolved'],
    ['ManifestApplied', 'True', 'AddonManifestApplied', 'manifests of the add-on are applied'],
    ['RegistrationApplied', 'True', 'SetPermissionApplied', 'registration of the add-on is configured'],
    [
      'Progressing',
      'False',
      isFailed ? 'Failed' : 'Succeed',
      isFailed ? `pod of cluster-${index}: ImagePullBackOff` : 'the target is reached',
    ],
    ['Available', isFailed ? 'False' : 'True', 'ProbeAvailable', `${name} add-on is available.`],
  ].map(([type, status, reason, message], at) => ({ type, status, reason, message, lastTransitionTime: time(index * 7 + at) }));
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { namespace: `cluster-${index}`, name, uid: `uid-${index}-${number}`, creationTimestamp: time(index) },
    spec: { installNamespace: 'addons' },
    status: { currentVersion: 'v1.2.0', conditions },
  } as KubeObject;
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const before = heap();
const state = new ConsoleState();
for (let number = 0; number < ADD_ONS; number++) {
  const name = `add-on-${number}`;
  state.setDeclaration({ apiVersion: 'v1', kind: 'Any', metadata: { name }, spec: {} } as KubeObject, name);
}
for (let index = 0; index < CLUSTERS; index++) {
  state.setCluster(cluster(index), `cluster-${index}`);
  for (let number = 0; number < ADD_ONS; number++) state.setAddOn(addOn(index, number), `cluster-${index}`, `add-on-${number}`);
}
const measure = <T>(name: string, compute: () => T): T => {
  const began = performance.now();
  const value = compute();
  report(name, performance.now() - began, 'ms');
  return value;
};
measure('console: the fleet of 10,000 × 20 as JSON', () =>
  JSON.stringify(encodeFleet(fleetTable(state, SEES_ALL, { epoch: 'e', sequence: 1, now: START }))),
);
const summary = measure('console: the summary of 10,000 × 20', () => summaryOf(state, SEES_ALL, START));
report('console: server heap per cluster and add-on', (heap() - before) / (CLUSTERS * ADD_ONS), 'B', 1_000);
if (summary.addOns.length !== ADD_ONS || state.addOns.size !== CLUSTERS) throw new Error('the fleet is not complete');
