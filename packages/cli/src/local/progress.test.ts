import type { ManagedClusterAddOn } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { addOnState, isReady, progressOf, progressSummary } from './progress.js';

function addOn(
  conditions: Readonly<Record<string, readonly [status: 'True' | 'False', reason: string]>>,
  currentVersion?: string,
): ManagedClusterAddOn {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { name: 'hello', namespace: 'c1' },
    spec: {},
    status: {
      ...(currentVersion === undefined ? {} : { currentVersion }),
      conditions: Object.entries(conditions).map(([type, [status, reason]]) => ({
        type,
        status,
        reason,
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  };
}

describe('how far an add-on is', () => {
  const available = ['True', 'ProbeAvailable'] as const;
  it.each([
    { name: 'not there', given: undefined, want: 'waiting' },
    { name: 'no report yet', given: addOn({}), want: 'waiting' },
    { name: 'on its way', given: addOn({ Progressing: ['True', 'Installing'] }), want: 'installing' },
    { name: 'applied, not up yet', given: addOn({ Progressing: ['False', 'Succeed'] }), want: 'starting' },
    { name: 'failed', given: addOn({ Progressing: ['False', 'Failed'], Available: available }), want: 'failed' },
    { name: 'there', given: addOn({ Progressing: ['False', 'Succeed'], Available: available }, 'v1'), want: 'v1 (ready)' },
    {
      name: 'there, without a version',
      given: addOn({ Progressing: ['False', 'Succeed'], Available: available }),
      want: 'available (ready)',
    },
  ])('$name: $want', ({ given, want }) => {
    const state = addOnState(given);
    expect(`${state.text}${state.isReady ? ' (ready)' : ''}`).toBe(want);
  });

  it('a fleet is ready when every cluster has every add-on', () => {
    const ready = addOn({ Progressing: ['False', 'Succeed'], Available: available }, 'v1');
    expect(isReady(progressOf(['c1'], ['hello'], [ready]))).toBe(true);
    const progress = progressOf(['c1', 'c2'], ['hello'], [ready]);
    expect(isReady(progress)).toBe(false);
    expect(progressSummary(['hello'], progress)).toBe('hello 1/2');
  });
});
