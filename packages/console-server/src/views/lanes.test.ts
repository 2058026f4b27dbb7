import type { AddOnRollout } from '@outrigger/api';
import type { ActivityGroup, ActivityItem } from '@outrigger/console-contract';
import { expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { laneOf } from './lanes.js';
import { newestOf, revisionItems } from './rollout.js';
import { SEES_ALL } from './sight.js';
import type { EntryStanding } from './standings.js';

it('a phase with more clusters than are listed lists the first names without gaps', () => {
  const state = new ConsoleState();
  state.setRollout({ apiVersion: 'v1', kind: 'AddOnRollout', metadata: { name: 'hello' } }, 'hello');
  // The hub sorts the names by their characters: cluster1, cluster10, cluster100.
  const names = Array.from({ length: 1_000 }, (_, index) => `cluster${index + 1}`).sort();
  const members = names.map((cluster) => ({ cluster, phase: 'succeeded' as const }));
  const standing = { entry: { name: 'all' }, groups: [{ name: '', members }], soakMs: 0 } as unknown as EntryStanding;
  const [group] = laneOf(state, SEES_ALL, 'hello', standing, 0).groups;
  expect(group).toMatchObject({ selected: 1_000, done: 1_000 });
  expect(group?.clusters.map(({ name }) => name)).toEqual(Array.from({ length: 200 }, (_, index) => `cluster${index + 1}`));
});

it('the start of a rollout stays among its items, however many clusters report since', () => {
  const group = (id: string, ...clusters: readonly string[]): ActivityGroup => ({ item: { id } as ActivityItem, clusters });
  const reports = Array.from({ length: 1_000 }, (_, index) => group(`report-${index}`, `cluster${index}`));
  const shown = newestOf([group('completed'), ...reports, group('started')]).map(({ item: { id } }) => id);
  expect(shown).toHaveLength(202);
  expect([shown.at(0), shown.at(1), shown.at(-1)]).toEqual(['completed', 'report-0', 'started']);
});

it('AT-62 a rollback to a revision that failed says so, and its command confirms it', () => {
  const change = (to: number, outcome: 'Completed' | 'Halted') => ({ at: '2026-11-16T10:00:00Z', to, outcome });
  const timeline = [change(3, 'Completed'), change(2, 'Halted'), change(1, 'Completed')];
  const rollout = {
    metadata: { name: 'hello' },
    status: {
      history: [3, 2, 1].map((revision) => ({ revision, digest: `${revision}`, version: `v${revision}` })),
      entries: [{ name: 'default/all', targetRevision: 3, timeline }],
    },
  } as unknown as AddOnRollout;
  const offers = revisionItems(new ConsoleState(), SEES_ALL, 'hello', rollout).map(({ rollBack }) => [
    rollBack?.command,
    rollBack?.question,
  ]);
  const goes = (revision: number): string => `Every cluster of hello goes to revision ${revision} (v${revision}) and stays there.`;
  expect(offers).toEqual([
    [undefined, undefined],
    [
      'outrigger rollback hello --to-revision 2 --yes',
      `${goes(2)} It failed or was rolled back in default/all and has not completed there since.`,
    ],
    ['outrigger rollback hello --to-revision 1', goes(1)],
  ]);
});
