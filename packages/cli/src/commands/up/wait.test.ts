import type { Runtime } from '@outrigger/core';
import { expect, it } from 'vitest';
import { addOn, installed, rollout } from '../../../../rules/src/why/fixtures.js';
import type { LocalFleet } from '../../local/fleet.js';
import type { StartScreen } from './screen.js';
import { waitForAddOns } from './wait.js';

const AVAILABLE = {
  ...installed('hello', 'cluster1'),
  status: {
    conditions: [
      { type: 'Available', status: 'True', reason: 'Ready', message: '' },
      { type: 'Progressing', status: 'False', reason: 'Succeed', message: '' },
    ],
  },
};

/**
 * Waits for `hello` on one cluster, on which it is available. Each read of the record returns the next of these states; after the last,
 * reads keep returning it.
 */
async function waited(states: readonly (string | undefined)[]): Promise<{ missing: string | undefined; looks: number }> {
  let nowMs = 0;
  let looks = 0;
  async function* listAll({ plural }: { readonly plural: string }) {
    if (plural === 'clustermanagementaddons') yield addOn('hello');
    if (plural === 'managedclusteraddons') yield AVAILABLE;
    if (plural !== 'addonrollouts') return;
    const state = states[Math.min(looks++, states.length - 1)];
    if (state !== undefined) yield rollout('hello', {}, { state } as never);
  }
  const sleep = async (ms: number): Promise<void> => void (nowMs += ms);
  const missing = await waitForAddOns({
    fleet: { hub: { listAll }, clusterNames: ['cluster1'] } as unknown as LocalFleet,
    addOns: ['hello'],
    screen: { progress: () => undefined } as unknown as StartScreen,
    runtime: { clock: { monotonic: () => nowMs }, timers: { sleep } } as unknown as Runtime,
    signal: new AbortController().signal,
  });
  return { missing, looks };
}

it.each([
  ['has no record yet', [undefined, 'Completed']],
  ['is pending', ['Pending', 'Completed']],
  ['still progresses', ['Progressing', 'Progressing', 'Completed']],
  ['is completed', ['Completed']],
])('the start waits for the record of an add-on that is available and %s', async (_, states) => {
  expect(await waited(states)).toEqual({ missing: undefined, looks: states.length });
});

it.each(['Progressing', 'Halted', 'Paused'])('the start names a rollout that stays %s', async (state) => {
  expect((await waited([state])).missing).toContain('rollout not completed in time: hello');
});
