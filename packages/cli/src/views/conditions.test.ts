import type { Condition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { addOn, installed } from '../../../rules/src/why/fixtures.js';
import { addOnRows, isAddOnWell, isInstalledWell } from './add-ons.js';
import { degradedCell, progressCell } from './conditions.js';

const degraded = (status: 'True' | 'False' | 'Unknown'): readonly Condition[] => [
  { type: 'Degraded', status, reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
];

it.each([
  ['no conditions', undefined, { text: 'False', as: 'good' }],
  ['no condition Degraded', [], { text: 'False', as: 'good' }],
  ['False', degraded('False'), { text: 'False', as: 'good' }],
  ['True', degraded('True'), { text: 'True', as: 'bad' }],
  ['Unknown', degraded('Unknown'), { text: 'Unknown', as: 'warn' }],
])('DEGRADED shows one value for add-ons that are not degraded: %s', (_, conditions, cell) => {
  expect(degradedCell(conditions)).toEqual(cell);
});

describe('an add-on that runs, while its configuration', () => {
  const running = ['Progressing False Succeed x', 'Available True ProbeAvailable x'];
  it.each([
    { name: 'does not exist', configured: 'ConfigurationNotFound', isWell: false },
    { name: 'is not supported', configured: 'ConfigurationUnsupported', isWell: false },
    { name: 'waits for the rollout', configured: 'ConfigurationsNotConfigured', isWell: true },
  ])('$name, is well: $isWell', ({ configured, isWell }) => {
    const one = installed('hello', 'c1', `Configured False ${configured} x`, ...running);
    expect(isInstalledWell(one)).toBe(isWell);
    expect(progressCell(one.status?.conditions)).toEqual(isWell ? 'Succeed' : { text: configured, as: 'bad' });
    const [row] = addOnRows({ declared: [addOn('hello')], installed: [one], rollouts: [], clusters: [] });
    expect(row).toMatchObject({ available: 1, failed: isWell ? 0 : 1 });
    expect(row && isAddOnWell(row)).toBe(isWell);
  });
});
