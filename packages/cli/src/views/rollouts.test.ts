import { describe, expect, it } from 'vitest';
import { hasEnded, statusText } from '../commands/rollout/status.js';
import { table } from '../terminal/table.js';
import { addOn, rollout } from '../../../rules/src/why/fixtures.js';
import { addOnColumns, addOnRows } from './add-ons.js';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const counted = { selected: 9, done: 1, progressing: 4, failed: 1, skipped: 0 };
const numbers = 'selected 9, done 1, progressing 4, failed 1, skipped 0';
const flight = (cluster: string, parkedSince?: string) => ({
  cluster,
  revision: 2,
  admittedAt: '2026-01-01T00:00:00Z',
  ...(parkedSince === undefined ? {} : { parkedSince }),
});

describe('the status of a rollout', () => {
  it('names the clusters in flight while they are few, and adds the message', () => {
    const entry = {
      ...counted,
      name: 'default/others',
      state: 'Halted' as const,
      message: `${numbers}; more clusters have failed than maxFailures tolerates`,
      inFlight: [flight('c1'), flight('c2', '2026-01-01T00:00:30Z'), flight('c3'), flight('c4')],
    };
    const text = statusText(rollout('hello', {}, { entries: [entry] }), NOW);
    expect(text).toMatch(/ IN FLIGHT\n/);
    expect(text).toContain('c1, c2 (away), c3, and 1 more\n');
    expect(text).toMatch(/^default\/others: more clusters have failed than maxFailures tolerates$/m);
    expect(text).not.toContain(numbers);
  });
  it('reports a wildcard admission', () => {
    const entry = { ...counted, name: 'labelSelector', state: 'Progressing' as const, message: numbers, inFlight: [flight('*')] };
    expect(statusText(rollout('hello', {}, { entries: [entry] }), NOW)).toMatch(/all of them at once\n$/);
  });
});

describe('a watch of a rollout', () => {
  const unresolved = 'The decisions of Placement default/others are not complete';
  it.each([
    { state: 'Completed' as const, known: true, ends: true },
    // A watch must not end with a failure before the PlacementDecisions of a new Placement are complete.
    { state: 'Completed' as const, known: false, ends: false },
    { state: 'Halted' as const, known: false, ends: true },
    { state: 'Paused' as const, known: false, ends: true },
    { state: 'Progressing' as const, known: true, ends: false },
  ])('of state $state ends: $ends (all clusters known: $known)', ({ state, known, ends }) => {
    const standing = { rollout: rollout('hello', {}, { state, entries: [] }), unresolved: known ? undefined : unresolved };
    expect(hasEnded({ ...standing, isCurrent: true })).toBe(ends);
    expect(hasEnded({ ...standing, isCurrent: false })).toBe(false);
  });
});

it('an add-on that is pinned shows the version it is pinned at, not the declared one', () => {
  const declared = [{ ...addOn('hello'), status: { defaultVersion: 'v2' } }];
  const pinned = rollout('hello', { pinnedRevision: 1 }, { entries: [], history: [{ revision: 1, digest: 'd', version: 'v1' }] });
  const rows = addOnRows({ declared, installed: [], rollouts: [pinned], clusters: [] });
  expect(table(addOnColumns(NOW), rows)).toContain('v1 (pinned)');
});
