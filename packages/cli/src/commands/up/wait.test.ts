import type { Runtime } from '@outrigger/core';
import { expect, it } from 'vitest';
import { addOn, installed, rollout } from '../../../../rules/src/why/fixtures.js';
import type { LocalFleet } from '../../local/fleet.js';
import type { StartScreen } from './screen.js';
import { waitForAddOns, waitForClusters } from './wait.js';

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
 * Runs `waitForAddOns` for `hello` on one cluster, where the add-on is available by default. Each read of the rollout returns the next of
 * the given states; after the last state, each read returns the last state.
 */
async function waited(
  states: readonly (string | undefined)[],
  found = [AVAILABLE],
): Promise<{ missing: string | undefined; looks: number }> {
  let nowMs = 0;
  let looks = 0;
  async function* listAll({ plural }: { readonly plural: string }) {
    if (plural === 'clustermanagementaddons') yield addOn('hello');
    if (plural === 'managedclusteraddons') yield* found;
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
  expect((await waited([state])).missing).toBe('rollout not completed in time: hello: ask `outrigger rollout status hello`');
});

it('the start offers the command that explains the first add-on that is not available', async () => {
  expect((await waited(['Progressing'], [])).missing).toMatch(
    /^not available in time: hello on cluster1 \([^)]*\): ask `outrigger why hello --cluster cluster1`$/,
  );
});

it.each([
  ['have joined', [2], undefined, 1],
  ['join one after the other', [0, 1, 2], undefined, 3],
  ['do not all join', [1], 'not available in time: cluster2: ask `outrigger get clusters`', undefined],
] as const)('the start waits for clusters that %s', async (_, available, missing, looks) => {
  let nowMs = 0;
  let looked = 0;
  const clusterNames = ['cluster1', 'cluster2'];
  async function* listAll() {
    const count = available[Math.min(looked++, available.length - 1)] ?? 0;
    for (const [i, name] of clusterNames.entries()) {
      const conditions = [{ type: 'ManagedClusterConditionAvailable', status: i < count ? 'True' : 'Unknown' }];
      yield { metadata: { name }, status: { conditions } };
    }
  }
  const sleep = async (ms: number): Promise<void> => void (nowMs += ms);
  const late = await waitForClusters({
    fleet: { hub: { listAll }, clusterNames } as unknown as LocalFleet,
    runtime: { clock: { monotonic: () => nowMs }, timers: { sleep } } as unknown as Runtime,
    signal: new AbortController().signal,
  });
  expect(late).toBe(missing);
  if (looks !== undefined) expect(looked).toBe(looks);
});
