import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { activityItems, activityPage } from './activity.js';
import { rolloutPage } from './rollout.js';
import { SEES_ALL, type Sight } from './sight.js';

const AT = '2026-11-16T03:00:00Z';
const SOON = '2026-11-16T03:00:04Z';
const LATER = '2026-11-16T03:10:00Z';

/**
 * Returns a state with a rollout whose entry `all` got its target at AT and halted immediately, and with the given Events about its
 * declaration.
 */
function stateWith(...events: readonly { readonly reason: string; readonly entry: string; readonly at: string }[]): ConsoleState {
  const state = new ConsoleState();
  const change = { at: AT, to: 2, cause: 'Declaration', manager: 'kubectl', outcome: 'Halted', endedAt: AT };
  const status = { formatVersion: 1, entries: [{ name: 'all', timeline: [change] }] };
  state.setRollout(
    { apiVersion: 'v1', kind: 'AddOnRollout', metadata: { name: 'hello', uid: 'u' }, status } as unknown as KubeObject,
    'hello',
  );
  for (const [index, { reason, entry, at }] of events.entries()) {
    const involvedObject = { kind: 'ClusterManagementAddOn', name: 'hello' };
    const event = { metadata: { name: `e${index}` }, involvedObject, reason, message: `${entry}: 12 clusters`, lastTimestamp: at };
    state.setEvent({ apiVersion: 'v1', kind: 'Event', ...event }, `e${index}`);
  }
  return state;
}
const shown = (state: ConsoleState, sight: Sight): readonly string[] => activityItems(state, sight, {}).map(({ id }) => id);

describe('an Event that the timeline of the rollout also records', () => {
  it.each(['RolloutStarted', 'RolloutHalted'])('%s is shown once', (reason) => {
    const items = shown(stateWith({ reason, entry: 'all', at: SOON }), SEES_ALL);
    expect(items).toHaveLength(2);
    expect(items.every((id) => id.startsWith('rollout/'))).toBe(true);
  });

  it('is shown to a user who may not read the rollout', () => {
    const state = stateWith({ reason: 'RolloutHalted', entry: 'all', at: AT });
    expect(shown(state, { ...SEES_ALL, seesRollouts: false })).toEqual(['e0']);
  });

  it.each([
    ['of another entry', { reason: 'RolloutHalted', entry: 'others', at: AT }],
    ['of another time', { reason: 'RolloutHalted', entry: 'all', at: LATER }],
    ['of another outcome', { reason: 'RolloutCompleted', entry: 'all', at: AT }],
    ['with another reason', { reason: 'RolloutWaiting', entry: 'all', at: AT }],
  ])('one %s is shown', (_, event) => {
    expect(shown(stateWith(event), SEES_ALL)).toContain('e0');
  });
});

describe('the same event on many clusters', () => {
  const COUNT = 1_000;

  function installedOn(count: number, state = stateWith()): ConsoleState {
    for (let index = 0; index < count; index++) {
      const involvedObject = { kind: 'ManagedClusterAddOn', namespace: `c${index}`, name: 'hello' };
      const at = new Date(Date.parse(LATER) + index * 10).toISOString();
      const event = { metadata: { name: `i${index}` }, involvedObject, reason: 'Installed', message: 'version v1', lastTimestamp: at };
      state.setEvent({ apiVersion: 'v1', kind: 'Event', ...event }, `i${index}`);
    }
    return state;
  }

  it('is one group with all of them on both pages, however many there are', () => {
    const state = installedOn(COUNT);
    for (const groups of [activityPage(state, SEES_ALL, { view: 'activity' }).groups, rolloutPage(state, SEES_ALL, 'hello', 0)?.timeline]) {
      const installed = groups?.filter(({ item }) => item.reason === 'Installed') ?? [];
      expect(installed.map(({ clusters }) => clusters.length)).toEqual([COUNT]);
      expect(groups).toHaveLength(3);
    }
  });

  it('does not return on the next page after more clusters have reported it', () => {
    const state = installedOn(5);
    const newest = activityPage(state, SEES_ALL, { view: 'activity' }).groups[0]?.item.id ?? '';
    expect(newest).toBe('i4');
    installedOn(8, state);
    const { groups } = activityPage(state, SEES_ALL, { view: 'activity', before: newest });
    expect(groups.map(({ item }) => item.reason)).toEqual(['RolloutHalted', 'TargetChanged']);
  });
});
