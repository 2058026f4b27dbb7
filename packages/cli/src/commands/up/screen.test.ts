import { expect, it } from 'vitest';
import type { LocalFleet } from '../../local/fleet.js';
import { recordingTerminal } from '../../terminal/terminal.js';
import { addOn, installed, rollout } from '../../../../rules/src/why/fixtures.js';
import { finalScreen, isFollowed, standing, startScreen } from './screen.js';

const HELD = rollout('hello', { pinnedRevision: 1 }, { state: 'Completed', history: [{ revision: 1, digest: 'd', version: 'v1' }] });
const OBJECTS: Readonly<Record<string, readonly object[]>> = {
  clustermanagementaddons: [{ ...addOn('hello'), status: { defaultVersion: 'v2' } }],
  managedclusteraddons: [{ ...installed('hello', 'cluster1'), status: { currentVersion: 'v1' } }],
  addonrollouts: [HELD],
};

const ADDRESS = `http://127.0.0.1:45145/open?token=${'x'.repeat(24)}`;

const FLEET = { url: 'https://127.0.0.1:6443', metricsUrl: '', clusterNames: ['cluster1'] } as unknown as LocalFleet;
const source = {
  list: async <T>({ plural }: { readonly plural: string }): Promise<readonly T[]> => (OBJECTS[plural] ?? []) as unknown as readonly T[],
};

it('the first screen after a restart shows the version that runs, not the declared one', async () => {
  const text = await standing(recordingTerminal(), { fleet: FLEET, source, nowMs: 0 });
  expect(text).toMatch(/hello .* v1 \(pinned\)/);
  expect(text).not.toMatch(/^  hello .*v2/m);
});

it('the screen follows a fleet on a terminal, cluster by cluster, unless it is large', async () => {
  const terminal = { ...recordingTerminal(), isLive: true };
  expect(await standing(terminal, { fleet: FLEET, source, nowMs: 0 })).toMatch(/^ {2}CLUSTER .*\n {2}cluster1 /m);
  expect(isFollowed(terminal, FLEET)).toBe(true);
  expect(isFollowed(recordingTerminal(), FLEET)).toBe(false);
  expect(isFollowed(terminal, { ...FLEET, clusterNames: Array.from({ length: 200 }, (_, at) => `cluster${at}`) })).toBe(false);
});

it('the first screen fits 80 columns and 24 lines, except for the export line', async () => {
  const terminal = { ...recordingTerminal(), isLive: true, columns: 80 };
  const below = await standing(terminal, { fleet: FLEET, source, nowMs: 0 });
  const first = finalScreen(terminal, { fleet: FLEET, consoleAddress: ADDRESS, dataDir: '.outrigger', standing: '' });
  const lines = `${first}\n${below}`.split('\n');
  expect(lines.filter((line) => line.length > 80 && !line.includes('export KUBECONFIG'))).toEqual([]);
  expect(lines.length).toBeLessThan(24);
});

it('the state below the first screen is replaced in place, and stays when the command ends', () => {
  const terminal = { ...recordingTerminal(), isLive: true };
  const screen = startScreen(terminal, { clusters: 1, isFirst: true, dataDir: '.outrigger' });
  screen.end();
  screen.standing('  hello v1\n');
  screen.standing('  hello v2\n');
  screen.end();
  expect(terminal.written.out).toContain('hello v1\n\r\u001b[1A\u001b[0J  hello v2\n');
});

it('the line about the start is gone when the start is over', () => {
  const terminal = { ...recordingTerminal(), isLive: true };
  const screen = startScreen(terminal, { clusters: 3, isFirst: false, dataDir: '.outrigger' });
  screen.step('cluster 3 of 3');
  screen.progress([], []);
  screen.end();
  const afterLastClear = terminal.written.out.split('\u001b[0J').at(-1);
  expect(afterLastClear).not.toContain('starting');
});
