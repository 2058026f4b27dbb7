import type { Condition } from '@outrigger/core';
import { expect, it } from 'vitest';
import { degradedCell } from './conditions.js';

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
