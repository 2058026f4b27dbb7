import { LANE_PHASES, type LaneCluster, type LaneGroup, type RecordedCluster } from '@outrigger/console-contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsAt, groupAt, mergedProgress, recordedGroupsAt, recordedProgress, span } from './replay.js';

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

const recorded: fc.Arbitrary<RecordedCluster> = fc
  .record({
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    outcome: fc.constantFrom('done', 'failed', 'inFlight', 'parked', 'skipped', 'waiting'),
    admitted: fc.option(fc.integer({ min: 0, max: 29 }), { nil: undefined }),
    length: fc.integer({ min: 0, max: 29 }),
  })
  .map(({ name, outcome: phase, admitted, length }) => ({
    name,
    phase,
    reason: '',
    ...(admitted === undefined || phase === 'waiting' ? {} : { admittedAt: time(admitted) }),
    ...(admitted === undefined || !['done', 'failed'].includes(phase) ? {} : { endedAt: time(admitted + length) }),
  }));

describe('the replay of a stored record', () => {
  const records = fc.array(fc.array(recorded, { maxLength: 12 }), { maxLength: 3 });
  const pageOf = (groups: readonly (readonly RecordedCluster[])[]) => ({
    startedAt: time(0),
    groups: groups.map((clusters, index) => ({ name: String(index), clusters })),
  });

  it('has each cluster in exactly one phase, never moves it back, and ends with its recorded outcome', () => {
    fc.assert(
      fc.property(records, (groups) => {
        const page = pageOf(groups);
        const before = new Map<string, number>();
        for (let minute = 0; minute < 60; minute++) {
          for (const { name: group, selected, clusters, ...counts } of recordedGroupsAt(page, Date.parse(time(minute)))) {
            expect(LANE_PHASES.reduce((sum, phase) => sum + counts[phase], 0)).toBe(selected);
            clusters.forEach(({ phase }, index) => {
              const order = phase === 'waiting' ? 0 : phase === 'inFlight' ? 1 : 2;
              const key = `${group} ${index}`;
              expect(order).toBeGreaterThanOrEqual(before.get(key) ?? 0);
              before.set(key, order);
            });
          }
        }
        const last = recordedGroupsAt(page, Date.parse(time(59)));
        expect(last.map(({ clusters }) => clusters.map(({ phase }) => phase))).toEqual(groups.map((one) => one.map(({ phase }) => phase)));
      }),
    );
  });

  it('counts in its chart the clusters that its lanes show as done or failed', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: 0, max: 59 }), (groups, minute) => {
        const page = pageOf(groups);
        const at = Date.parse(time(minute));
        const lanes = recordedGroupsAt(page, at);
        const sum = (phase: 'done' | 'failed') => lanes.reduce((total, group) => total + group[phase], 0);
        const counted = { done: sum('done'), failed: sum('failed') };
        expect(countsAt(recordedProgress(page), at)).toEqual(counted);
        const parts = page.groups.map((group) => recordedProgress({ ...page, groups: [group] }));
        expect(countsAt(mergedProgress(parts, 0), at)).toEqual(counted);
      }),
    );
  });

  it('lists at most 200 clusters of a phase, and counts all of them', () => {
    const clusters = Array.from({ length: 1_000 }, (_, index): RecordedCluster => ({ name: `c${index}`, phase: 'done', reason: '' }));
    const [group] = recordedGroupsAt(pageOf([clusters]), 0);
    expect([group?.done, group?.clusters.length]).toEqual([1_000, 200]);
  });
});
