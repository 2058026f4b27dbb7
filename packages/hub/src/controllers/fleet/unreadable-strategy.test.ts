import { clusterManagementAddOns } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ADD_ON, type World } from '../../../testing/fleet/world.js';
import { contentOf, entryOf, fleetOf, placementEntry, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3'];
const READABLE = { type: 'Progressive', progressive: { maxConcurrency: 1 } };

/** Values that upstream's CRDs accept, or that were stored before a CRD rejected them. */
const UNREADABLE = [
  { type: 'All', all: { progressDeadline: 'never' } },
  ...(['Progressive', 'ProgressivePerGroup'] as const).flatMap((type) => {
    const field = type === 'Progressive' ? 'progressive' : 'progressivePerGroup';
    return [
      { minSuccessTime: 'soon' },
      { minSuccessTime: '5' },
      { minSuccessTime: '' },
      { progressDeadline: '5m or so' },
      { maxFailures: '-1' },
      { maxFailures: 'few%' },
    ].map((options) => ({ type, [field]: options }));
  }),
  { type: 'Progressive', progressive: { maxConcurrency: 'some' } },
];

function declare(world: World, version: string, rolloutStrategy: object): void {
  const entry = placementEntry('all', { addonTemplate: { installVersion: version }, rolloutStrategy });
  world.declare({ installStrategy: { type: 'Placements', placements: [entry] } });
}

const desired = (world: World): readonly (string | undefined)[] => CLUSTERS.map((cluster) => contentOf(world, cluster).desired);

describe('a rollout strategy that cannot be parsed', () => {
  it.each(UNREADABLE)('admits no cluster, names the field, and continues once it is corrected: %j', (strategy) => {
    const world = fleetOf(CLUSTERS, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: READABLE });
    settle(world, CLUSTERS);
    const before = desired(world);
    world.template('v2', 'hello:2');
    declare(world, 'v2', strategy);
    settle(world, CLUSTERS);
    expect(desired(world)).toEqual(before);
    const [field = '', options = {}] = Object.entries<unknown>(strategy).find(([name]) => name !== 'type') ?? [];
    const path = `rolloutStrategy.${field}.${Object.keys(options as object)[0]}`;
    expect(entryOf(world)).toMatchObject({ state: 'Halted', message: expect.stringContaining(path) as string });
    const [progression] = world.hub.get(clusterManagementAddOns, { name: ADD_ON })?.status?.installProgressions ?? [];
    expect(findCondition(progression?.conditions, 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'Failed',
      message: expect.stringContaining(path) as string,
    });
    const settled = world.hub.revision;
    world.tick(3_600_000);
    world.pass(0);
    expect(world.hub.revision).toBe(settled);
    declare(world, 'v2', READABLE);
    settle(world, CLUSTERS);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', done: 3 });
    expect(new Set(desired(world)).size).toBe(1);
    expect(desired(world)).not.toEqual(before);
  });

  it('admits no cluster to the first revision', () => {
    const world = fleetOf(CLUSTERS, { rolloutStrategy: { type: 'Progressive', progressive: { minSuccessTime: 'soon' } } });
    settle(world, CLUSTERS);
    expect(entryOf(world)).toMatchObject({ state: 'Halted', done: 0 });
    expect(entryOf(world).inFlight).toBeUndefined();
  });

  it('admits clusters by the other entries of the declaration', () => {
    const world = fleetOf(CLUSTERS, { rolloutStrategy: READABLE });
    world.cluster('d1');
    world.choose('rest', [['d1']]);
    const unreadable = { type: 'Progressive', progressive: { minSuccessTime: 'soon' } };
    const placements = [placementEntry('all', { rolloutStrategy: READABLE }), placementEntry('rest', { rolloutStrategy: unreadable })];
    world.declare({ installStrategy: { type: 'Placements', placements } });
    settle(world, [...CLUSTERS, 'd1']);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', done: 3 });
    expect(entryOf(world, 'default/rest')).toMatchObject({ state: 'Halted', done: 0 });
  });
});
