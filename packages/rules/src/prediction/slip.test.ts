import type { OpenedGate, RolloutPrediction, RolloutWait, TargetChange } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { type RolloutProgress, slip } from './slip.js';

const at = (time: string): number => parseTime(time) ?? Number.NaN;

const predicted = (p50: string, p90: string, from = '2026-11-16T12:00:00Z'): RolloutPrediction => ({
  at: from,
  p50,
  p90,
  runs: 200,
  basis: 'Recorded',
  moves: 40,
});

const AFTERNOON = predicted('2026-11-16T14:20:00Z', '2026-11-16T15:05:00Z');
const SHORT = predicted('2026-11-16T12:00:40Z', '2026-11-16T12:01:10Z');
const OVERNIGHT = predicted('2026-11-16T23:20:00Z', '2026-11-17T01:05:00Z');

const progressing: RolloutProgress = { state: 'Progressing', targetRevision: 2 };
const change = (more: Partial<TargetChange>): TargetChange => ({ at: '2026-11-16T12:00:00Z', to: 2, ...more });
const ended = (endedAt: string): RolloutProgress => ({
  state: 'Completed',
  targetRevision: 2,
  timeline: [change({ outcome: 'Completed', endedAt })],
});

const today = (clock: string): string => `2026-11-16T${clock}:00Z`;
const approval = (since: string): RolloutWait => ({ kind: 'Approval', name: 'p/signed', since: today(since), digest: 'd' });
const opened = (since: string, until: string): OpenedGate => ({
  name: 'p/signed',
  revision: 2,
  clusters: 3,
  heldSince: today(since),
  openedAt: today(until),
});

interface Case {
  readonly name: string;
  readonly prediction: RolloutPrediction;
  readonly now: string;
  readonly progress: RolloutProgress;
  readonly late: number;
  readonly waited?: number;
  readonly text: string;
}

describe('the slip of a rollout', () => {
  it.each<Case>([
    {
      name: 'before the expected end',
      prediction: AFTERNOON,
      now: '2026-11-16T13:00:00Z',
      progress: progressing,
      late: 0,
      text: 'expected 14:20 (p90 15:05) UTC, now 13:00: on time',
    },
    {
      name: 'between p50 and p90, where two in five runs end',
      prediction: AFTERNOON,
      now: '2026-11-16T15:05:00Z',
      progress: progressing,
      late: 0,
      text: 'expected 14:20 (p90 15:05) UTC, now 15:05: on time',
    },
    {
      name: 'after p90',
      prediction: AFTERNOON,
      now: '2026-11-16T15:40:00Z',
      progress: progressing,
      late: 35 * 60,
      text: 'expected 14:20 (p90 15:05) UTC, now 15:40: 35m late',
    },
    {
      name: 'a day later',
      prediction: AFTERNOON,
      now: '2026-11-17T17:06:00Z',
      progress: progressing,
      late: (26 * 60 + 1) * 60,
      text: 'expected 2026-11-16 14:20 (p90 2026-11-16 15:05) UTC, now 2026-11-17 17:06: 1d 2h late',
    },
    {
      name: 'a short rollout',
      prediction: SHORT,
      now: '2026-11-16T12:01:15Z',
      progress: progressing,
      late: 5,
      text: 'expected 12:00:40 (p90 12:01:10) UTC, now 12:01:15: 5s late',
    },
    {
      name: 'a rollout over midnight',
      prediction: OVERNIGHT,
      now: '2026-11-16T22:00:00Z',
      progress: progressing,
      late: 0,
      text: 'expected 2026-11-16 23:20 (p90 2026-11-17 01:05) UTC, now 2026-11-16 22:00: on time',
    },
    {
      name: 'ended before p90, whatever the time is now',
      prediction: AFTERNOON,
      now: '2026-11-16T20:00:00Z',
      progress: ended('2026-11-16T14:10:00Z'),
      late: 0,
      text: 'expected 14:20 (p90 15:05) UTC, ended 14:10: on time',
    },
    {
      name: 'ended after p90',
      prediction: AFTERNOON,
      now: '2026-11-16T20:00:00Z',
      progress: ended('2026-11-16T17:15:00Z'),
      late: 130 * 60,
      text: 'expected 14:20 (p90 15:05) UTC, ended 17:15: 2h 10m late',
    },
    {
      name: 'halted, which may go on',
      prediction: AFTERNOON,
      now: '2026-11-16T15:40:00Z',
      progress: { state: 'Halted', targetRevision: 2, timeline: [change({ outcome: 'Halted', endedAt: '2026-11-16T13:00:00Z' })] },
      late: 35 * 60,
      text: 'expected 14:20 (p90 15:05) UTC, halted, now 15:40: 35m late',
    },
    {
      name: 'paused',
      prediction: AFTERNOON,
      now: '2026-11-16T13:00:00Z',
      progress: { state: 'Paused', targetRevision: 2 },
      late: 0,
      text: 'expected 14:20 (p90 15:05) UTC, paused, now 13:00: on time',
    },
    {
      name: 'a completed entry whose latest change is of another target has no known end',
      prediction: AFTERNOON,
      now: '2026-11-16T15:40:00Z',
      progress: { ...ended('2026-11-16T14:10:00Z'), targetRevision: 3 },
      late: 35 * 60,
      text: 'expected 14:20 (p90 15:05) UTC, now 15:40: 35m late',
    },
    {
      name: 'waits for an approval since before p90',
      prediction: AFTERNOON,
      now: '2026-11-16T15:40:00Z',
      progress: { ...progressing, waitingFor: [approval('13:10')] },
      late: 0,
      waited: 150 * 60,
      text: 'expected 14:20 (p90 15:05) UTC, now 15:40: on time apart from 2h 30m of waiting for approvals',
    },
    {
      name: 'ended late although it did not wait long',
      prediction: AFTERNOON,
      now: '2026-11-16T20:00:00Z',
      progress: { ...ended('2026-11-16T17:15:00Z'), openedGates: [opened('12:10', '14:10')] },
      late: 10 * 60,
      waited: 120 * 60,
      text: 'expected 14:20 (p90 15:05) UTC, ended 17:15: 10m late apart from 2h of waiting for approvals',
    },
    {
      name: 'times in which two gates waited count once, and those before the prediction or after the end do not',
      prediction: AFTERNOON,
      now: '2026-11-16T20:00:00Z',
      progress: {
        ...ended('2026-11-16T17:15:00Z'),
        openedGates: [
          opened('11:30', '12:30'),
          opened('13:00', '14:00'),
          opened('13:30', '14:30'),
          opened('13:40', '13:50'),
          opened('17:00', '18:00'),
        ],
      },
      late: 0,
      waited: (30 + 90 + 15) * 60,
      text: 'expected 14:20 (p90 15:05) UTC, ended 17:15: on time apart from 2h 15m of waiting for approvals',
    },
    {
      name: 'gates that open by themselves, rejections, other gates and other revisions are no wait for an approval',
      prediction: AFTERNOON,
      now: '2026-11-16T15:40:00Z',
      progress: {
        ...progressing,
        openedGates: [
          { ...opened('12:10', '14:10'), revision: 1 },
          { name: 'p/soak', revision: 2, clusters: 3, byTime: true },
        ],
        waitingFor: [
          { ...approval('13:10'), until: '2026-11-16T18:00:00Z' },
          { ...approval('13:10'), message: 'rejected by bob' },
          { ...approval('13:10'), kind: 'Window' },
        ],
      },
      late: 35 * 60,
      text: 'expected 14:20 (p90 15:05) UTC, now 15:40: 35m late',
    },
    {
      name: 'a wait that the rollout made up for is not mentioned',
      prediction: AFTERNOON,
      now: '2026-11-16T20:00:00Z',
      progress: { ...ended('2026-11-16T14:55:00Z'), openedGates: [opened('12:10', '12:40')] },
      late: 0,
      waited: 30 * 60,
      text: 'expected 14:20 (p90 15:05) UTC, ended 14:55: on time',
    },
  ])('$name', ({ prediction, now, progress, late, waited = 0, text }) => {
    const found = slip(prediction, at(now), progress);
    expect([found?.text, found?.lateMs, found?.waitedMs, found?.standing]).toEqual([
      text,
      late * 1000,
      waited * 1000,
      late > 0 ? 'Late' : 'OnTime',
    ]);
  });

  it('is undefined without a prediction, and for invalid times', () => {
    expect(slip(undefined, 0, progressing)).toBeUndefined();
    expect(slip({ ...AFTERNOON, p90: 'soon' }, 0, progressing)).toBeUndefined();
  });
});
