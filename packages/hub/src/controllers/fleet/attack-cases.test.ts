import {
  addOnTemplates,
  clusterManagementAddOns,
  controllerRevisions,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { type KubeObject, findCondition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { condition, contentOf, entryOf, fleetOf, inFlight, installedOn, isDone, placementEntry, progressive, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];

describe('AT-22 a template edited in place during a rollout', () => {
  it('leaves waiting clusters at their pinned revision and starts a new rollout', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    const first = contentOf(world, 'c4').applied;
    world.template('v1', 'hello:2');
    for (let round = 0; round < 3; round++) {
      world.pass(0);
      world.tick(1_100);
    }
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    expect(inFlight(world)).toBe('c1');
    const second = contentOf(world, 'c1').desired;
    expect(second).not.toBe(first);
    world.template('v1', 'hello:3');
    world.pass(0);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    // The cluster in flight is retargeted first and keeps its slot; the other clusters have not moved.
    expect([inFlight(world), entryOf(world).targetRevision]).toEqual(['c1', 3]);
    expect(contentOf(world, 'c1').desired).not.toBe(second);
    expect(CLUSTERS.slice(1).map((cluster) => contentOf(world, cluster).desired)).toEqual([first, first, first]);
    settle(world, CLUSTERS);
    expect(new Set(CLUSTERS.map((cluster) => contentOf(world, cluster).applied)).size).toBe(1);
    expect(world.hub.list(controllerRevisions).length).toBe(3);
  });
});

describe('AT-36 the choice of clusters falters', () => {
  const many = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'];
  const settled = (): ReturnType<typeof fleetOf> => {
    const world = fleetOf(many);
    settle(world, many);
    return world;
  };
  const wait = (world: ReturnType<typeof fleetOf>, seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      world.pass(0);
      world.tick(1_000);
    }
    world.pass(0);
  };

  it('a deleted Placement uninstalls nothing, and neither does one that comes back without decisions', () => {
    const world = settled();
    world.hub.remove(placements, { namespace: 'default', name: 'all' });
    world.hub.remove(placementDecisions, { namespace: 'default', name: 'all-decision-0' });
    wait(world, 60);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')]).toEqual([
      many.join(),
      { status: 'False', reason: 'PlacementNotFound', message: 'Placement default/all is not found' },
    ]);
    world.hub.put(placements, {
      apiVersion: 'cluster.open-cluster-management.io/v1beta1',
      kind: 'Placement',
      metadata: { namespace: 'default', name: 'all' },
      spec: {},
    } as never);
    wait(world, 60);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')?.reason]).toEqual([many.join(), 'DecisionsIncomplete']);
  });

  /** Writes a Placement and its PlacementDecision without their status, as a restore or the first step of a scheduler does. */
  const beginAgain = (world: ReturnType<typeof fleetOf>, name: string): void => {
    const page = world.hub.get(placementDecisions, { namespace: 'default', name: `${name}-decision-0` });
    const placement = world.hub.get(placements, { namespace: 'default', name });
    world.hub.put(placements, { ...placement, status: {} } as never);
    world.hub.put(placementDecisions, { ...page, status: undefined } as never);
  };

  it('a Placement that was created again or restored uninstalls nothing until its first decision is written', () => {
    const one = ['c1'];
    const world = fleetOf(one);
    settle(world, one);
    beginAgain(world, 'all');
    wait(world, 60);
    expect([installedOn(world, one), condition(world, 'TargetsResolved')?.reason]).toEqual(['c1', 'DecisionsIncomplete']);
    world.choose('all', [[]]);
    wait(world, 60);
    expect([installedOn(world, one), condition(world, 'TargetsResolved')?.reason]).toEqual(['', 'AllResolved']);
  });

  it('nor does it move a cluster to another entry that selects the cluster', () => {
    const world = settled();
    world.template('v2', 'hello:2');
    world.choose('canary', [['c1']]);
    const installing = (name: string, installVersion: string): object => placementEntry(name, { addonTemplate: { installVersion } });
    world.declare({ installStrategy: { type: 'Placements', placements: [installing('all', 'v1'), installing('canary', 'v2')] } });
    settle(world, many);
    beginAgain(world, 'canary');
    settle(world, many);
    expect([world.addOn('c1')?.spec.installVersion, world.addOn('c1')?.status?.currentVersion]).toEqual(['v2', 'v2']);
    world.choose('canary', [['c1']]);
    expect([world.pass(0).filter(({ id }) => id.startsWith('follow')), world.addOn('c2')?.spec.installVersion]).toEqual([[], 'v1']);
  });

  it('decisions rewritten page by page uninstall nothing while they do not add up', () => {
    const world = settled();
    world.choose('all', [['c1']], 8);
    wait(world, 60);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')?.reason]).toEqual([many.join(), 'DecisionsIncomplete']);
  });

  it('a choice that flickers for less than ten seconds uninstalls nothing', () => {
    const world = settled();
    for (let round = 0; round < 5; round++) {
      world.choose('all', [many.slice(1)]);
      wait(world, 8);
      world.choose('all', [many]);
      wait(world, 2);
    }
    expect(installedOn(world, many)).toBe(many.join());
  });

  it('a cluster that leaves an entry briefly keeps its content, for any defaults', () => {
    const world = settled();
    world.declare({
      installStrategy: { type: 'Placements', placements: [placementEntry('all', { addonTemplate: { installVersion: 'v1' } })] },
    });
    settle(world, many);
    const before = contentOf(world, 'c1');
    world.template('v2', 'hello:2');
    world.choose('all', [many.slice(1)]);
    wait(world, 5);
    for (const cluster of many) world.addOnPass(cluster);
    expect(contentOf(world, 'c1')).toEqual(before);
    expect(world.rollout()?.status?.entries?.map(({ name }) => name)).toEqual(['default/all']);
  });

  it('a few add-ons that nothing has selected for ten seconds are removed', () => {
    const world = settled();
    world.choose('all', [many.slice(2)]);
    wait(world, 9);
    expect(installedOn(world, many)).toBe(many.join());
    wait(world, 2);
    expect(installedOn(world, many)).toBe(many.slice(2).join());
  });

  it('a restart starts the ten seconds again', () => {
    const world = settled();
    world.choose('all', [many.slice(2)]);
    wait(world, 9);
    world.crash(0);
    wait(world, 9);
    expect(installedOn(world, many)).toBe(many.join());
    wait(world, 2);
    expect(installedOn(world, many)).toBe(many.slice(2).join());
  });

  it('add-ons of clusters that are being deleted are left to the clusters controller, and the guard does not count them', () => {
    const world = settled();
    for (const name of many.slice(2)) {
      const found = world.hub.get(managedClusters, { name });
      const metadata = { ...found?.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
      world.hub.put(managedClusters, { ...found, metadata } as KubeObject);
    }
    world.choose('all', [['c1', 'c2']]);
    wait(world, 30);
    expect(installedOn(world, many)).toBe(many.join());
    expect(condition(world, 'TargetsResolved')?.reason).toBe('AllResolved');
    // The installer may remove only the add-ons on c1 and c2, so a removal of both is a removal of all.
    world.choose('all', [[]]);
    wait(world, 30);
    expect(condition(world, 'TargetsResolved')?.message).toBe('would remove 2 of 2 add-ons');
  });

  it('many need a confirmation of exactly their number, whether they leave at once or one by one', () => {
    const world = settled();
    for (const left of [6, 4, 2]) {
      world.choose('all', [many.slice(0, left)]);
      wait(world, 4);
    }
    wait(world, 30);
    expect(installedOn(world, many)).toBe(many.join());
    expect(condition(world, 'TargetsResolved')).toEqual({
      status: 'False',
      reason: 'RemovalNeedsConfirmation',
      message: 'would remove 6 of 8 add-ons',
    });
    expect(world.rollout()?.status?.pendingRemoval).toEqual({ count: 6, of: 8 });
    world.ask({ confirmRemoval: 5 });
    wait(world, 12);
    expect(installedOn(world, many)).toBe(many.join());
    world.ask({ confirmRemoval: 6 });
    wait(world, 2);
    expect(installedOn(world, many)).toBe('c1,c2');
    expect([condition(world, 'TargetsResolved')?.reason, world.rollout()?.status?.pendingRemoval]).toEqual(['AllResolved', undefined]);
  });

  it.each([2, 3, 4, 5, 8])('removing all of %i add-ons needs a confirmation', (size) => {
    const clusters = many.slice(0, size);
    const world = fleetOf(clusters);
    settle(world, clusters);
    world.choose('all', [[]]);
    wait(world, 30);
    const message = `would remove ${size} of ${size} add-ons`;
    expect([installedOn(world, many), condition(world, 'TargetsResolved')?.message]).toEqual([clusters.join(), message]);
    world.ask({ confirmRemoval: size });
    wait(world, 2);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')?.reason]).toEqual(['', 'AllResolved']);
  });

  it.each([false, true])('a removal that waits for a confirmation is not released by new add-ons (restart: %s)', (restarts) => {
    const [old, added] = [many.slice(0, 4), many.slice(4)];
    const world = fleetOf(old);
    for (const name of added) world.cluster(name);
    settle(world, old);
    world.choose('all', [[]]);
    wait(world, 12);
    world.choose('all', [added]);
    if (restarts) world.crash(0);
    wait(world, 30);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')?.message]).toEqual([many.join(), 'would remove 4 of 4 add-ons']);
    // The removal of c2 to c4 needs no confirmation, because the removal guard would not have held a removal of 3 of 4 add-ons.
    world.choose('all', [['c1', ...added]]);
    wait(world, 2);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')?.reason]).toEqual([['c1', ...added].join(), 'AllResolved']);
  });

  it('a fleet that moves to other clusters within the ten seconds needs no confirmation', () => {
    const [old, added] = [many.slice(0, 4), many.slice(4, 7)];
    const world = fleetOf(old);
    for (const name of added) world.cluster(name);
    settle(world, old);
    world.choose('all', [[]]);
    wait(world, 5);
    world.choose('all', [added]);
    wait(world, 12);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')?.reason]).toEqual([added.join(), 'AllResolved']);
  });

  it('removing the only add-on of a declaration needs no confirmation, nor does removing all but one of a few', () => {
    for (const [before, after] of [
      [['c1'], []],
      [['c1', 'c2', 'c3'], ['c3']],
    ] as const) {
      const world = fleetOf(before);
      settle(world, before);
      world.choose('all', [after]);
      wait(world, 12);
      expect(installedOn(world, before)).toBe(after.join());
    }
  });

  it('a misconfigured Placement with an empty decision uninstalls nothing, and the reason is reported', () => {
    const world = settled();
    world.choose('all', [[]]);
    const placement = world.hub.get(placements, { namespace: 'default', name: 'all' });
    const misconfigured = { type: 'PlacementMisconfigured', status: 'True', reason: 'Misconfigured', message: ':x' };
    const conditions = [{ ...misconfigured, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    world.hub.put(placements, { ...placement, status: { conditions, numberOfSelectedClusters: 0 } } as never);
    wait(world, 60);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')]).toEqual([
      many.join(),
      {
        status: 'False',
        reason: 'DecisionsIncomplete',
        message: 'Placement default/all is misconfigured (see its condition PlacementMisconfigured), so its clusters are not known',
      },
    ]);
  });

  it('a selector that does not compile uninstalls nothing', () => {
    const world = settled();
    world.declare({
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
    });
    wait(world, 60);
    expect([installedOn(world, many), condition(world, 'TargetsResolved')?.reason]).toEqual([many.join(), 'DecisionsIncomplete']);
    expect(condition(world, 'TargetsResolved')?.message).toContain('labelSelector');
  });

  it('while one entry is unknown, known ones create add-ons, and no cluster moves to another entry', () => {
    const world = settled();
    world.cluster('c9');
    world.choose('all', [[...many, 'c9']]);
    const entries = [placementEntry('all', { addonTemplate: { installVersion: 'v2' } }), placementEntry('gone')];
    world.template('v2', 'hello:2');
    world.declare({ installStrategy: { type: 'Placements', placements: entries } });
    wait(world, 20);
    for (const cluster of many) world.addOnPass(cluster);
    expect(world.addOn('c9')?.spec.installVersion).toBe('v2');
    expect(many.map((cluster) => world.addOn(cluster)?.spec.installVersion)).toEqual(many.map(() => undefined));
    expect(many.every((cluster) => isDone(world, cluster))).toBe(true);
  });

  it('an unknown entry before theirs does not hold up the clusters of a later one', () => {
    const world = settled();
    world.template('v2', 'hello:2');
    const entries = [placementEntry('gone'), placementEntry('all', { addonTemplate: { installVersion: 'v1' } })];
    world.declare({ installStrategy: { type: 'Placements', placements: entries } });
    wait(world, 3);
    expect(many.map((cluster) => world.addOn(cluster)?.spec.installVersion)).toEqual(many.map(() => 'v1'));
  });
});

describe('AT-37 a success of the previous revision', () => {
  it('never counts for the new one', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 2 }));
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    world.pass(0);
    // Every status still reports Succeed for the previous content, and agents report the previous content again.
    for (const cluster of CLUSTERS) world.report(cluster, 'arrived');
    for (let round = 0; round < 5; round++) {
      world.tick(1_100);
      world.pass(0);
    }
    expect([inFlight(world), entryOf(world).done]).toEqual(['c1,c2', 0]);
  });
});

describe('AT-39 a failed upgrade', () => {
  it('halts, uninstalls nothing, and keeps the content of the last good release', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    const good = contentOf(world, 'c1').applied ?? '';
    world.template('v1', 'broken');
    settle(world, CLUSTERS, () => 'failed');
    expect([entryOf(world).state, entryOf(world).failed, entryOf(world).done]).toEqual(['Halted', 1, 0]);
    expect(installedOn(world, CLUSTERS)).toBe(CLUSTERS.join());
    expect(CLUSTERS.map((cluster) => contentOf(world, cluster).applied)).toEqual([good, good, good, good]);
    world.tick(3_600_000);
    world.pass(0);
    expect(world.hub.list(controllerRevisions).map(({ metadata }) => metadata.annotations?.['outrigger.dev/content'])).toContain(good);
    // When the template is corrected, the rollout recovers without intervention.
    world.template('v1', 'mended');
    settle(world, CLUSTERS);
    expect([entryOf(world).state, entryOf(world).done]).toEqual(['Completed', 4]);
  });
});

describe('AT-40 rollbacks', () => {
  it('a rollback of the rollback goes back to the same revision', () => {
    const world = fleetOf(CLUSTERS);
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS);
    world.ask({ pinnedRevision: 1 });
    settle(world, CLUSTERS);
    expect([entryOf(world).targetRevision, entryOf(world).state]).toEqual([1, 'Completed']);
    world.ask({ pinnedRevision: undefined });
    settle(world, CLUSTERS);
    expect([entryOf(world).targetRevision, entryOf(world).done, world.rollout()?.status?.history?.length]).toEqual([2, 4, 2]);
  });

  it('a pin to a revision that is not stored admits no cluster, and reports Failed with the stored revisions', () => {
    const world = fleetOf(CLUSTERS);
    settle(world, CLUSTERS);
    world.ask({ pinnedRevision: 9 });
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS);
    expect([entryOf(world).state, entryOf(world).targetRevision]).toEqual(['Halted', 1]);
    expect(entryOf(world).message).toContain('spec.pinnedRevision 9 is not among the stored revisions (1)');
    const { status } = world.hub.get(clusterManagementAddOns, { name: 'hello' }) ?? {};
    expect(findCondition(status?.installProgressions?.[0]?.conditions, 'Progressing')).toMatchObject({ status: 'False', reason: 'Failed' });
  });

  it('a rollback while a required dependency is missing waits for its soak and is done then', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1, minSuccessTime: '10s' }));
    const degraded = {
      type: 'Degraded',
      status: 'True',
      reason: 'RequiredDependencyNotSatisfied',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const degrade = (): void => {
      for (const cluster of CLUSTERS) {
        const clusterAddOn = world.addOn(cluster);
        if (!clusterAddOn?.status || findCondition(clusterAddOn.status.conditions, 'Degraded')) continue;
        world.hub.putStatus(managedClusterAddOns, clusterAddOn, {
          ...clusterAddOn.status,
          conditions: [...(clusterAddOn.status.conditions ?? []), degraded],
        });
      }
    };
    const started = world.monotonic;
    while (world.rollout()?.status?.state !== 'Completed' && world.monotonic - started < 120_000) {
      world.pass(0);
      for (const cluster of CLUSTERS) {
        world.addOnPass(cluster);
        const { configReferences, conditions } = world.addOn(cluster)?.status ?? {};
        if (!configReferences || findCondition(conditions, 'Progressing')?.reason === 'Succeed') continue;
        world.report(cluster, 'arrived');
        world.report(cluster, 'unhealthy');
      }
      degrade();
      world.tick(1_100);
    }
    expect(world.monotonic - started).toBeGreaterThan(4 * 10_000);
    expect([entryOf(world).state, entryOf(world).done, entryOf(world).unhealthyBefore]).toEqual(['Completed', 4, 4]);
  });

  it('a version that no template provides is reported by the admitted clusters, and affects no other', () => {
    const world = fleetOf(CLUSTERS, { ...progressive({ maxConcurrency: 1 }), addonTemplate: { installVersion: 'v1' } });
    settle(world, CLUSTERS);
    world.declare({
      installStrategy: {
        type: 'Placements',
        placements: [placementEntry('all', { ...progressive({ maxConcurrency: 1 }), addonTemplate: { installVersion: 'v9' } })],
      },
    });
    for (let round = 0; round < 3; round++) {
      world.pass(0);
      world.tick(1_100);
    }
    const target = world.rollout()?.status?.history?.[0];
    expect([target?.version, target?.configs ?? [], inFlight(world)]).toEqual(['v9', [], 'c1']);
  });
});

describe('AT-61 a strategy with less room comes with new content', () => {
  const wide = progressive({ maxConcurrency: 4 });
  const declare = (world: ReturnType<typeof fleetOf>, entry: object): void =>
    world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all', entry)] } });
  /**
   * All clusters were admitted to new content, and those in `arrived` have just finished. The record has not been written since then, so it
   * still lists all clusters as in flight.
   */
  const moved = (arrived: readonly string[], first: object = wide): ReturnType<typeof fleetOf> => {
    const world = fleetOf(CLUSTERS, first);
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    world.pass(0);
    world.tick(1_100);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    for (const cluster of arrived) world.report(cluster, 'arrived');
    return world;
  };
  const step = (world: ReturnType<typeof fleetOf>): readonly string[] => {
    const before = CLUSTERS.map((cluster) => contentOf(world, cluster).desired);
    // Two passes are needed: the first one writes the annotations that must exist before a wildcard admission may end.
    world.pass(0);
    world.tick(1_100);
    world.pass(0);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    return CLUSTERS.filter((cluster, i) => contentOf(world, cluster).desired !== before[i]);
  };

  it.each([
    { name: 'Progressive', first: wide },
    { name: 'All', first: {} },
    { name: 'ProgressivePerGroup', first: { rolloutStrategy: { type: 'ProgressivePerGroup' } } },
  ])('$name: clusters that have arrived move again within the new budget only', ({ first }) => {
    const world = moved(CLUSTERS, first);
    declare(world, progressive({ maxConcurrency: 2 }));
    world.template('v1', 'hello:3');
    expect(step(world)).toEqual(['c1', 'c2']);
    expect(inFlight(world)).toBe('c1,c2');
  });

  it.each([
    { name: 'Progressive', first: wide },
    { name: 'All', first: {} },
  ])('$name: clusters still on their way keep their slots and are retargeted before others are admitted', ({ first }) => {
    const world = moved(['c1', 'c2'], first);
    declare(world, progressive({ maxConcurrency: 2 }));
    world.template('v1', 'hello:3');
    expect(step(world)).toEqual(['c3', 'c4']);
    expect(inFlight(world)).toBe('c3,c4');
  });

  it('a soaking cluster has arrived', () => {
    const soaking = progressive({ maxConcurrency: 4, minSuccessTime: '1h' });
    const world = fleetOf(CLUSTERS, wide);
    settle(world, CLUSTERS);
    declare(world, soaking);
    world.template('v1', 'hello:2');
    for (let round = 0; round < 3; round++) {
      step(world);
      for (const cluster of CLUSTERS) world.report(cluster, 'arrived');
      world.tick(1_100);
    }
    expect(inFlight(world)).toBe('c1,c2,c3,c4');
    declare(world, progressive({ maxConcurrency: 1 }));
    world.template('v1', 'hello:3');
    expect(step(world)).toEqual(['c1']);
  });

  it.each([
    { name: 'a pause and its end', change: (world: ReturnType<typeof fleetOf>) => world.ask({ paused: true }), back: { paused: false } },
    {
      name: 'a pin and its end',
      change: (world: ReturnType<typeof fleetOf>) => world.ask({ pinnedRevision: 2 }),
      back: { pinnedRevision: undefined },
    },
  ])('$name moves no arrived cluster outside the budget', ({ change, back }) => {
    const world = moved(CLUSTERS);
    change(world);
    declare(world, progressive({ maxConcurrency: 1 }));
    world.template('v1', 'hello:3');
    expect(step(world)).toEqual([]);
    world.tick(1_100);
    world.ask(back);
    expect(step(world)).toEqual(['c1']);
  });

  it('on the way back clusters that had arrived go first', () => {
    const world = fleetOf(CLUSTERS, wide);
    settle(world, CLUSTERS);
    for (const cluster of ['c1', 'c2']) world.cluster(cluster, 'Unknown');
    for (const image of ['hello:2', 'hello:3']) {
      world.template('v1', image);
      settle(world, ['c3', 'c4']);
    }
    for (const cluster of ['c1', 'c2']) world.cluster(cluster);
    declare(world, progressive({ maxConcurrency: 2 }));
    world.ask({ pinnedRevision: 2 });
    expect(step(world)).toEqual(['c3', 'c4']);
  });
});

describe('AT-41 a cluster that is away for thirty days', () => {
  const away = (options: object): ReturnType<typeof fleetOf> => {
    const world = fleetOf(CLUSTERS, progressive(options));
    settle(world, CLUSTERS);
    world.cluster('c2', 'Unknown');
    for (const image of ['hello:2', 'hello:3']) {
      world.template('v1', image);
      settle(
        world,
        CLUSTERS.filter((cluster) => cluster !== 'c2'),
      );
      world.tick(15 * 86_400_000);
    }
    return world;
  };
  it('is skipped, does not count as failed, and delays no cluster', () => {
    const world = away({ maxConcurrency: 1 });
    expect(entryOf(world)).toMatchObject({ state: 'Completed', done: 3, skipped: 1, failed: 0 });
  });
  it('goes straight to the latest when it returns, with its deadline from then', () => {
    const world = away({ maxConcurrency: 1, progressDeadline: '10m' });
    world.cluster('c2');
    world.pass(0);
    world.tick(1_100);
    world.pass(0);
    expect(inFlight(world)).toBe('c2');
    settle(world, CLUSTERS);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', done: 4, skipped: 0, failed: 0 });
    expect(contentOf(world, 'c2').applied).toBe(contentOf(world, 'c1').applied);
  });
});

describe('a template that is deleted while in use', () => {
  it('moves no cluster: the stored content keeps running', () => {
    const world = fleetOf(CLUSTERS, {
      addonTemplate: { configs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: 'hello-v1' }] },
    });
    settle(world, CLUSTERS);
    world.hub.remove(addOnTemplates, { name: 'hello-v1' });
    settle(world, CLUSTERS);
    expect([entryOf(world).targetRevision, entryOf(world).state]).toEqual([1, 'Completed']);
    expect(world.hub.list(controllerRevisions).length).toBe(1);
  });
});
