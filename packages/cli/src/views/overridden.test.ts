import { INSTALLED_SPEC_ANNOTATION, type ManagedClusterAddOn } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { installed, rollout } from '../../../rules/src/why/fixtures.js';
import { statusText } from '../commands/rollout/status.js';
import { overriddenClusters } from './overridden.js';

const HISTORY = [
  { revision: 2, version: 'v2', digest: 'b' },
  { revision: 1, version: 'v1', digest: 'a' },
];
const ENTRY = {
  name: 'default/all',
  state: 'Completed' as const,
  targetRevision: 2,
  selected: 5,
  done: 5,
  members: ['c1', 'c2', 'c3', 'c10', 'c11'],
};

/** Returns an add-on that the installer created. `managers` contains the field manager that set each field of the spec. */
function clusterAddOn(cluster: string, version: string, managers: Readonly<Record<string, string>>): ManagedClusterAddOn {
  const base = installed('hello', cluster);
  const managedFields = Object.entries(managers).map(([field, manager]) => ({
    manager,
    operation: 'Apply' as const,
    fieldsV1: { 'f:spec': { [`f:${field}`]: {} } },
  })) as NonNullable<KubeObject['metadata']['managedFields']>;
  return {
    ...base,
    metadata: { ...base.metadata, annotations: { [INSTALLED_SPEC_ANNOTATION]: 'x' }, managedFields },
    spec: { ...('installVersion' in managers ? { installVersion: version } : {}), ...('configs' in managers ? { configs: [] } : {}) },
    status: { installVersion: version, currentVersion: version },
  };
}

describe('clusters that an override keeps at another version', () => {
  const addOns = [
    clusterAddOn('c11', 'v1', { configs: 'kubectl' }),
    clusterAddOn('c2', 'v1', { installVersion: 'outrigger-pin-version' }),
    clusterAddOn('c1', 'v2', {}),
    clusterAddOn('c3', 'v2', { installVersion: 'outrigger-pin-version' }),
    clusterAddOn('c10', 'v1', {}),
    clusterAddOn('elsewhere', 'v1', { installVersion: 'outrigger-pin-version' }),
  ];

  it('are named with their version, and no others', () => {
    expect(overriddenClusters(ENTRY, HISTORY, addOns)).toEqual(['c2 (v1)', 'c11 (v1)']);
    expect(overriddenClusters({ ...ENTRY, targetRevision: 1 }, HISTORY, addOns)).toEqual(['c3 (v2)']);
    expect(overriddenClusters(ENTRY, [{ revision: 2, digest: 'b' }], addOns)).toEqual([]);
  });

  it('are in the status of a rollout that counts them as done', () => {
    const completed = rollout('hello', {}, { state: 'Completed', target: 'v2', entries: [ENTRY], history: HISTORY });
    const text = statusText(completed, 0, { overridden: new Map([[ENTRY.name, ['c2 (v1)', 'c11 (v1)']]]) });
    expect(text).toMatch(/^hello: Completed, 2 overridden, target v2\n/);
    expect(text).toContain('default/all: done, but kept at another version by an override: c2 (v1), c11 (v1)\n');
    expect(statusText(completed, 0)).toMatch(/^hello: Completed, target v2\n/);
  });
});
