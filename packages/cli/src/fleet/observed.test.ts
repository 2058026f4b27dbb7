import type { ClusterManagementAddOn } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { rollout } from '../../../rules/src/why/fixtures.js';
import { isObserved, isRecorded } from './observed.js';

function declared(generation: number, observedGeneration?: number): ClusterManagementAddOn {
  const resolved = {
    type: 'TargetsResolved',
    status: 'True' as const,
    reason: 'AllResolved',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'hello', generation },
    spec: {},
    ...(observedGeneration === undefined ? {} : { status: { conditions: [{ ...resolved, observedGeneration }] } }),
  };
}

describe('a declaration', () => {
  it.each([
    ['has been observed when the manager reports its generation', declared(3, 3), true],
    ['has not been observed while the manager reports an earlier one', declared(3, 2), false],
    ['of a hub without conditions is treated as observed', declared(3), true],
  ])('%s', (_, managementAddOn, want) => expect(isObserved(managementAddOn)).toBe(want));
});

describe('a pin', () => {
  it.each([
    ['has been observed when the record names its generation', 2, true],
    ['has not been observed while the record names an earlier one', 1, false],
  ])('%s', (_, observedGeneration, want) => {
    const found = rollout('hello', { pinnedRevision: 1 }, { observedGeneration });
    expect(isRecorded({ ...found, metadata: { ...found.metadata, generation: 2 } })).toBe(want);
  });
});
