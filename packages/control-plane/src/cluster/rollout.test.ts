import { describe, expect, it } from 'vitest';
import { progressOf, type Progress, type Rollout } from './rollout.js';

const timing = { readyAfterMs: 100, deadlineMs: 5000 };
const rollout = (change: Partial<Rollout> = {}): Rollout => ({
  generation: 1,
  behavior: 'ready',
  startedAt: 1000,
  readyBefore: 0,
  hadCompleted: false,
  ...change,
});

describe('a simulated rollout of 3', () => {
  const cases: { name: string; rollout: Rollout; at: number; want: Progress }[] = [
    {
      name: 'starts with none ready',
      rollout: rollout(),
      at: 1000,
      want: { phase: 'progressing', replicas: 3, updated: 3, ready: 0, nextAt: 1100 },
    },
    { name: 'is complete after the delay', rollout: rollout(), at: 1100, want: { phase: 'complete', replicas: 3, updated: 3, ready: 3 } },
    {
      name: 'keeps the old ones until then',
      rollout: rollout({ readyBefore: 3 }),
      at: 1050,
      want: { phase: 'progressing', replicas: 4, updated: 1, ready: 3, nextAt: 1100 },
    },
    {
      name: 'takes ten times as long when slow',
      rollout: rollout({ behavior: 'slow' }),
      at: 1999,
      want: { phase: 'progressing', replicas: 3, updated: 3, ready: 0, nextAt: 2000 },
    },
    {
      name: 'hangs until its deadline',
      rollout: rollout({ behavior: 'hang' }),
      at: 1100,
      want: { phase: 'progressing', replicas: 3, updated: 3, ready: 0, nextAt: 6000 },
    },
    {
      name: 'has timed out after it',
      rollout: rollout({ behavior: 'crashloop' }),
      at: 6000,
      want: { phase: 'timedOut', replicas: 3, updated: 3, ready: 0 },
    },
    {
      name: 'fails without waiting for it',
      rollout: rollout({ behavior: 'fail', readyBefore: 2 }),
      at: 1100,
      want: { phase: 'timedOut', replicas: 3, updated: 1, ready: 2 },
    },
    {
      name: 'that completed and then breaks is not a failed rollout',
      rollout: rollout({ behavior: 'crashloop', hadCompleted: true }),
      at: 9000,
      want: { phase: 'broken', replicas: 3, updated: 3, ready: 0 },
    },
    {
      name: 'that broke recovers after the delay',
      rollout: rollout({ hadCompleted: true }),
      at: 1000,
      want: { phase: 'broken', replicas: 3, updated: 3, ready: 0, nextAt: 1100 },
    },
  ];
  it.each<{ name: string; rollout: Rollout; at: number; readyPods: number; want: Progress }>([
    {
      name: 'is not complete before its pods are ready',
      rollout: rollout(),
      at: 1100,
      readyPods: 2,
      want: { phase: 'progressing', replicas: 3, updated: 3, ready: 0, nextAt: 6000 },
    },
    {
      name: 'exceeds its deadline if its pods do not become ready',
      rollout: rollout(),
      at: 6000,
      readyPods: 2,
      want: { phase: 'timedOut', replicas: 3, updated: 3, ready: 0 },
    },
    {
      name: 'that completed counts the pods that are ready',
      rollout: rollout({ hadCompleted: true }),
      at: 9000,
      readyPods: 2,
      want: { phase: 'broken', replicas: 3, updated: 3, ready: 2 },
    },
  ])('$name', ({ rollout: one, at, readyPods, want }) => expect(progressOf(one, 3, at, timing, readyPods)).toEqual(want));

  it.each(cases)('$name', ({ rollout: one, at, want }) => expect(progressOf(one, 3, at, timing)).toEqual(want));

  it.each([
    { name: 'replaces one of three at a time', desired: 3, readyBefore: 3, want: { replicas: 3, updated: 1, ready: 2 } },
    { name: 'replaces the one that was not ready', desired: 3, readyBefore: 2, want: { replicas: 3, updated: 1, ready: 2 } },
    { name: 'replaces the only one, so that none is ready', desired: 1, readyBefore: 1, want: { replicas: 1, updated: 1, ready: 0 } },
    { name: 'starts all if none was ready', desired: 2, readyBefore: 0, want: { replicas: 2, updated: 2, ready: 0 } },
  ])('without surge: $name', ({ desired, readyBefore, want }) =>
    expect(progressOf(rollout({ behavior: 'hang', readyBefore }), desired, 1100, { readyAfterMs: 100, isReplacing: true })).toEqual({
      phase: 'progressing',
      ...want,
    }),
  );

  it('of 0 is complete immediately', () => {
    expect(progressOf(rollout({ behavior: 'hang' }), 0, 1000, timing)).toEqual({ phase: 'complete', replicas: 0, updated: 0, ready: 0 });
  });
});
