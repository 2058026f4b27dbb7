import { describe, expect, it } from 'vitest';
import { type HeapMode, type HeapStep, nextHeapStep } from './heap-policy.js';

const MB = 2 ** 20;

describe('the heap of a server', () => {
  it.each<[string, HeapMode, { utilization: number; reserved: number; used: number }, HeapStep]>([
    ['stays fast while busy', 'fast', { utilization: 0.9, reserved: 300, used: 80 }, { mode: 'fast', collect: false }],
    ['stays fast at half load', 'fast', { utilization: 0.3, reserved: 300, used: 80 }, { mode: 'fast', collect: false }],
    [
      'is collected when the server becomes quiet',
      'fast',
      { utilization: 0.02, reserved: 300, used: 80 },
      { mode: 'small', collect: true },
    ],
    ['is collected only once', 'small', { utilization: 0.02, reserved: 300, used: 80 }, { mode: 'small', collect: false }],
    ['is not collected for little', 'fast', { utilization: 0.02, reserved: 85, used: 80 }, { mode: 'small', collect: false }],
    ['is collected if it is large', 'fast', { utilization: 0, reserved: 900, used: 500 }, { mode: 'small', collect: true }],
    [
      'is not collected if the pause would be too long',
      'fast',
      { utilization: 0, reserved: 900, used: 600 },
      { mode: 'small', collect: false },
    ],
    ['stays small at half load', 'small', { utilization: 0.3, reserved: 100, used: 80 }, { mode: 'small', collect: false }],
    ['is fast again when busy', 'small', { utilization: 0.6, reserved: 100, used: 80 }, { mode: 'fast', collect: false }],
  ])('%s', (_, mode, { utilization, reserved, used }, step) => {
    expect(nextHeapStep(mode, { utilization, reservedBytes: reserved * MB, usedBytes: used * MB })).toEqual(step);
  });
});
