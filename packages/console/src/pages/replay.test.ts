import type { LaneCluster, LaneGroup } from '@outrigger/console-contract';
import { describe, expect, it } from 'vitest';
import { countsAt, groupAt, span } from './replay.js';

const time = (minute: number): string => `2026-11-16T08:${String(minute).padStart(2, '0')}:00Z`;
const cluster = (name: string, phase: LaneCluster['phase'], admitted?: number, ended?: number): LaneCluster => ({
  name,
  phase,
  version: '',
  reason: '',
  ...(admitted === undefined ? {} : { admittedAt: time(admitted) }),
  ...(ended === undefined ? {} : { endedAt: time(ended) }),
});
const group: LaneGroup = {
  name: '',
  selected: 5,
  waiting: 1,
  inFlight: 1,
  soaking: 0,
  done: 1,
  failed: 1,
  skipped: 1,
  parked: 0,
  clusters: [
    cluster('a', 'done', 1, 5),
    cluster('b', 'failed', 2, 6),
    cluster('c', 'inFlight', 7),
    cluster('d', 'waiting'),
    cluster('e', 'skipped'),
  ],
};

describe('the replay of a rollout', () => {
  it.each([
    [0, { waiting: 4, inFlight: 0, done: 0, failed: 0, skipped: 1 }],
    [3, { waiting: 2, inFlight: 2, done: 0, failed: 0, skipped: 1 }],
    [5, { waiting: 2, inFlight: 1, done: 1, failed: 0, skipped: 1 }],
    [9, { waiting: 1, inFlight: 1, done: 1, failed: 1, skipped: 1 }],
  ])('shows each cluster where it was in minute %d', (minute, counts) => {
    expect(groupAt(group, Date.parse(time(minute)))).toMatchObject(counts);
  });

  it('counts arrivals from the recorded points', () => {
    const progress = {
      startedAt: time(0),
      selected: 5,
      points: [
        { at: time(5), done: 1, failed: 0 },
        { at: time(6), done: 1, failed: 1 },
      ],
    };
    expect(countsAt(progress, Date.parse(time(4)))).toEqual({ done: 0, failed: 0 });
    expect(countsAt(progress, Date.parse(time(6)))).toEqual({ done: 1, failed: 1 });
    expect(span(progress, Date.parse(time(30)), true)).toEqual({ from: Date.parse(time(0)), to: Date.parse(time(6)) });
    expect(span(progress, Date.parse(time(30)), false)?.to).toBe(Date.parse(time(30)));
    expect(span({ selected: 0, points: [] }, 0, false)).toBeUndefined();
  });
});
