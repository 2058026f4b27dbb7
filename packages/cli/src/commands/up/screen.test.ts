import { expect, it } from 'vitest';
import type { LocalFleet } from '../../local/fleet.js';
import { recordingTerminal } from '../../terminal/terminal.js';
import { addOn, installed, rollout } from '../../../../rules/src/why/fixtures.js';
import { finalScreen, startScreen } from './screen.js';

const HELD = rollout('hello', { pinnedRevision: 1 }, { state: 'Completed', history: [{ revision: 1, digest: 'd', version: 'v1' }] });
const OBJECTS: Readonly<Record<string, readonly object[]>> = {
  clustermanagementaddons: [{ ...addOn('hello'), status: { defaultVersion: 'v2' } }],
  managedclusteraddons: [{ ...installed('hello', 'cluster1'), status: { currentVersion: 'v1' } }],
  addonrollouts: [HELD],
};

const ADDRESS = `http://127.0.0.1:45145/open?token=${'x'.repeat(24)}`;

function fleetWith(objects: typeof OBJECTS): LocalFleet {
  async function* listAll({ plural }: { readonly plural: string }) {
    yield* objects[plural] ?? [];
  }
  return { hub: { listAll }, url: 'https://127.0.0.1:6443', metricsUrl: '', clusterNames: ['cluster1'] } as unknown as LocalFleet;
}

it('the first screen after a restart shows the version that runs, not the declared one', async () => {
  const text = await finalScreen(recordingTerminal(), {
    fleet: fleetWith(OBJECTS),
    consoleAddress: ADDRESS,
    dataDir: '.outrigger',
    nowMs: 0,
  });
  expect(text).toMatch(/hello .* v1 \(held\)/);
  expect(text).not.toMatch(/^  hello .*v2/m);
});

it('the first screen fits 80 columns and 24 lines, except for the export line', async () => {
  const terminal = { ...recordingTerminal(), isLive: true, columns: 80 };
  const lines = (
    await finalScreen(terminal, { fleet: fleetWith(OBJECTS), consoleAddress: ADDRESS, dataDir: '.outrigger', nowMs: 0 })
  ).split('\n');
  expect(lines.filter((line) => line.length > 80 && !line.includes('export KUBECONFIG'))).toEqual([]);
  expect(lines.length).toBeLessThan(24);
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
