import { slip } from '@outrigger/rules/prediction';
import { expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { slipOf } from './lanes.js';
import { forecastOf, progressOf } from './progress.js';
import { SEES_ALL } from './sight.js';
import type { EntryStanding } from './standings.js';

const START = '2026-11-16T03:00:00Z';

it('the history of a rollout counts only the clusters that the user may see', () => {
  const state = new ConsoleState();
  const members = ['c1', 'c2', 'c3'].map((cluster, index) => {
    const condition = { type: 'Progressing', status: 'False', reason: 'Completed', lastTransitionTime: `2026-11-16T03:0${index + 1}:00Z` };
    const addOn = { metadata: { namespace: cluster, name: 'hello' }, spec: {}, status: { conditions: [condition] } };
    state.setAddOn({ apiVersion: 'v1', kind: 'ManagedClusterAddOn', ...addOn }, cluster, 'hello');
    return { cluster, phase: 'succeeded' };
  });
  const entry = { name: 'all', startedAt: START, selected: 3, done: 3 };
  const standings = [{ entry, groups: [{ name: '', members }], soakMs: 0 }] as unknown as readonly EntryStanding[];
  const shown = (sees: readonly string[]): unknown => {
    const { selected, points } = progressOf(state, { ...SEES_ALL, seesAddOns: (cluster) => sees.includes(cluster) }, 'hello', standings);
    return [selected, points.at(-1)?.done ?? 0];
  };
  expect([shown(['c1', 'c2', 'c3']), shown(['c2']), shown([])]).toEqual([
    [3, 3],
    [1, 1],
    [0, 0],
  ]);
});

it('the expected end is that of the clusters that the user may see, at their rate', () => {
  const state = new ConsoleState();
  const member = (cluster: string, phase: string, minute: number): unknown => {
    const condition = { type: 'Progressing', status: 'False', reason: 'Completed', lastTransitionTime: `2026-11-16T03:0${minute}:00Z` };
    const addOn = { metadata: { namespace: cluster, name: 'hello' }, spec: {}, status: { conditions: [condition] } };
    state.setAddOn({ apiVersion: 'v1', kind: 'ManagedClusterAddOn', ...addOn }, cluster, 'hello');
    return { cluster, phase };
  };
  const members = [
    member('c1', 'succeeded', 2),
    member('c2', 'succeeded', 4),
    member('c3', 'waiting', 0),
    member('d1', 'succeeded', 1),
    member('d2', 'succeeded', 3),
    member('d3', 'skipped', 0),
    member('d4', 'progressing', 0),
  ];
  const entry = { name: 'all', state: 'Progressing', startedAt: START, selected: 7, done: 4, skipped: 1, progressing: 1 };
  const standings = [{ entry, groups: [{ name: '', members }], soakMs: 0 }] as unknown as readonly EntryStanding[];
  const shown = (prefix: string): unknown => {
    const sight = { ...SEES_ALL, seesAddOns: (cluster: string) => cluster.startsWith(prefix) };
    return forecastOf(state, sight, 'hello', standings, false, Date.parse('2026-11-16T03:04:00Z'));
  };
  expect(shown('')).toEqual({ endsAt: '2026-11-16T03:06:00Z', message: '2 clusters are left; 4 arrived since it started' });
  expect(shown('c')).toEqual({ endsAt: '2026-11-16T03:06:00Z', message: '1 cluster is left; 2 arrived since it started' });
  expect(shown('d')).toEqual({ endsAt: '2026-11-16T03:04:30Z', message: '1 cluster is left; 2 arrived since it started' });
  expect(shown('d1')).toEqual({ message: 'unknown: no cluster that you may see is left' });
});

it.each([
  ['on time', '2026-11-16T03:20:00Z', 0],
  ['late', '2026-11-16T04:00:00Z', 30 * 60_000],
])('the slip of a rollout that is %s is that of outrigger rollout status', (_, time, lateMs) => {
  const prediction = { at: START, p50: '2026-11-16T03:10:00Z', p90: '2026-11-16T03:30:00Z' };
  const entry = { name: 'all', state: 'Progressing', prediction } as unknown as Parameters<typeof slipOf>[0];
  const now = Date.parse(time);
  expect(slipOf(entry, now).slip).toEqual({ p50: prediction.p50, p90: prediction.p90, lateMs });
  expect(slip(entry.prediction, now, entry)?.lateMs).toBe(lateMs);
  expect(slipOf({ name: 'all' }, now)).toEqual({});
});
