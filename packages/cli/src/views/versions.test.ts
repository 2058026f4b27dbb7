import { describe, expect, it } from 'vitest';
import { installed, rollout } from '../../../rules/src/why/fixtures.js';
import { addOn } from '../../../rules/src/why/fixtures.js';
import { table } from '../terminal/table.js';
import { addOnColumns, addOnRows, installedColumns } from './add-ons.js';
import { fleetVersions, versionText } from './versions.js';

const at = (currentVersion?: string, lastVersion?: string, installVersion?: string) => ({
  ...installed('hello', 'c1'),
  status: {
    ...(currentVersion === undefined ? {} : { currentVersion }),
    ...(lastVersion === undefined ? {} : { lastVersion }),
    ...(installVersion === undefined ? {} : { installVersion }),
  },
});

describe('the version on a cluster', () => {
  it.each([
    ['settled', at('v1', '', 'v1'), 'v1'],
    ['a first installation', at('unknown', '', 'v1'), '→ v1'],
    ['an upgrade', at('unknown', 'v1', 'v2'), 'v1 → v2'],
    ['a way back', at('unknown', 'v2', 'v1'), 'v2 → v1'],
    ['after a failed move', at('unknown', 'unknown', 'v2'), '→ v2'],
    ['without versions', at(), ''],
  ])('%s', (_, one, text) => expect(versionText(one)).toBe(text));

  it('of a fleet lists each version once', () => {
    expect(fleetVersions([at('v1'), at('v2'), at('v1'), at('unknown', 'v1', 'v2')])).toBe('v1, v1 → v2, v2');
  });
});

const NOW = Date.parse('2026-01-01T00:01:00Z');

describe('tables of add-ons', () => {
  it('show Degraded as False if the condition is missing', () => {
    const rows = [installed('a', 'c1', 'Available True Ok fine'), installed('a', 'c2', 'Degraded False DependenciesSatisfied fine')];
    const lines = table(installedColumns(NOW), rows).split('\n');
    expect(lines.slice(1, 3).map((line) => line.split(/\s{3,}/)[4])).toEqual(['False', 'False']);
  });

  it.each([60, 80, 100, 200])('show every state in %i columns', (width) => {
    const name = 'an-add-on-with-a-name-of-fifty-characters-0123456789';
    const declared = [addOn(name)];
    const record = rollout(name, { pinnedRevision: 3 }, { state: 'Completed', pendingRemoval: { count: 9, of: 9 }, entries: [] });
    const here = [{ ...installed(name, 'c1', 'Progressing False Failed no'), status: at('unknown', 'v1', 'v2').status }];
    const text = table(addOnColumns(NOW), addOnRows({ declared, installed: here, rollouts: [record], clusters: [] }), { width });
    const lines = text.trimEnd().split('\n');
    if (width >= 80) expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    for (const title of ['AVAILABLE', 'FAILED', 'DEGRADED', 'ROLLOUT']) expect(lines[0]).toContain(title);
    expect(lines[1]).toContain('Completed, pinned, removal waits');
  });
});
