import { type AddOnRollout, addOnRollouts, clusterManagementAddOns, controllerRevisions } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { wayBack } from '@outrigger/rules/rollout';
import { describe, expect, it } from 'vitest';
import { ADD_ON, World } from '../../../testing/fleet/world.js';
import { contentOf, entryOf, fleetOf, isDone, placementEntry, progressive, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3'];
const STRATEGY = progressive({ maxConcurrency: 1, maxFailures: 0 });

function declareVersion(world: World, installVersion: string): void {
  const entry = placementEntry('all', { ...STRATEGY, addonTemplate: { installVersion } });
  world.declare({ installStrategy: { type: 'Placements', placements: [entry] } });
}

/** The changes of the timeline, oldest first, such as `Declaration 1 Completed`. */
function outcomes(world: World): readonly string[] {
  return (entryOf(world).timeline ?? []).map(({ cause, to, outcome = 'open' }) => `${cause ?? '?'} ${to} ${outcome}`).reverse();
}

function versionAt(world: World, revision: number | undefined): string | undefined {
  return world.rollout()?.status?.history?.find((target) => target.revision === revision)?.version;
}

/** A fleet whose entry had these versions as targets, oldest first. The rollouts to versions marked with `!` halted. */
function went(...versions: readonly string[]): World {
  const world = fleetOf(CLUSTERS, { ...STRATEGY, addonTemplate: { installVersion: 'v1' } });
  for (const text of versions) {
    const version = text.replace('!', '');
    world.template(version, `hello:${version}`);
    declareVersion(world, version);
    settle(world, CLUSTERS, () => (text.endsWith('!') ? 'failed' : 'arrived'));
  }
  return world;
}

describe('AT-62 going back from any history', () => {
  const histories: readonly (readonly [readonly string[], string | undefined])[] = [
    [['v1', 'v2'], 'v1'],
    [['v1', 'v2', 'v3', 'v2'], 'v3'],
    [['v1', 'v2!', 'v3!'], 'v1'],
    [['v1', 'v2', 'v3!', 'v2'], 'v1'],
    [['v1!'], undefined],
    [['v1!', 'v2!'], undefined],
  ];
  it.each(histories)('%j leads to %s', (versions, expected) => {
    const world = went(...versions);
    const revision = wayBack(entryOf(world));
    expect(versionAt(world, revision)).toBe(expected);
    if (revision === undefined) return;
    world.ask({ pinnedRevision: revision });
    settle(world, CLUSTERS);
    expect(outcomes(world).at(-1)).toBe(`Pin ${revision} Completed`);
    expect(new Set(CLUSTERS.map((cluster) => contentOf(world, cluster).applied)).size).toBe(1);
  });

  it('keeps the content of the latest target that completed, however many failed since', () => {
    const world = went('v1', ...Array.from({ length: 25 }, (_, i) => `v${i + 2}!`), 'v40');
    const revision = wayBack(entryOf(world));
    expect([versionAt(world, revision), (entryOf(world).timeline ?? []).length]).toEqual(['v1', 21]);
    world.tick(20 * 60_000);
    settle(world, CLUSTERS);
    const digest = world.rollout()?.status?.history?.find((target) => target.revision === revision)?.configs?.[0]?.specHash ?? 'none';
    expect(world.hub.list(controllerRevisions).some(({ metadata }) => metadata.name?.includes(digest.slice(0, 10)))).toBe(true);
  });
});

describe('the last ten targets', () => {
  it('stay stored, also those whose revision is early because their content became a target again', () => {
    const world = went('v1', ...Array.from({ length: 10 }, (_, i) => `v${i + 2}`), 'v2', 'v12', 'v13');
    const stored = new Set((world.rollout()?.status?.history ?? []).map(({ version }) => version));
    const last = (entryOf(world).timeline ?? []).slice(0, 10).map(({ to }) => versionAt(world, to));
    expect(last).toEqual(['v13', 'v12', 'v2', 'v11', 'v10', 'v9', 'v8', 'v7', 'v6', 'v5']);
    expect([stored.has('v3'), stored.has('v1')]).toEqual([false, false]);
    world.ask({ pinnedRevision: 2 });
    settle(world, CLUSTERS);
    expect(CLUSTERS.map((cluster) => world.addOn(cluster)?.status?.currentVersion)).toEqual(['v2', 'v2', 'v2']);
  });
});

describe('the recorded timeline', () => {
  it('names the cause of each target', () => {
    const world = went('v1', 'v2');
    world.template('v2', 'hello:2b');
    settle(world, CLUSTERS);
    world.ask({ pinnedRevision: 1 });
    settle(world, CLUSTERS);
    world.ask({ pinnedRevision: undefined });
    settle(world, CLUSTERS);
    expect(outcomes(world)).toEqual([
      'Declaration 1 Completed',
      'Declaration 2 Completed',
      'Template 3 Completed',
      'Pin 1 Completed',
      'Pin 3 Completed',
    ]);
  });

  it('does not name a pin that was removed when the declaration requested the same target already', () => {
    const world = went('v1', 'v2');
    world.ask({ pinnedRevision: 1 });
    settle(world, CLUSTERS);
    declareVersion(world, 'v1');
    settle(world, CLUSTERS);
    expect(entryOf(world).timeline?.[0]).toMatchObject({ to: 1, cause: 'Pin', pinned: true });
    world.ask({ pinnedRevision: undefined });
    settle(world, CLUSTERS);
    expect(entryOf(world).timeline?.[0]).toMatchObject({ to: 1, cause: 'Pin', pinned: false, outcome: 'Completed' });
    const settled = world.hub.revision;
    world.pass(0);
    expect(world.hub.revision).toBe(settled);
    world.template('v3', 'hello:3');
    declareVersion(world, 'v3');
    settle(world, CLUSTERS);
    expect(outcomes(world)).toEqual(['Declaration 1 Completed', 'Declaration 2 Completed', 'Pin 1 Completed', 'Declaration 3 Completed']);
  });

  it('distinguishes a new default version from a declared one', () => {
    const world = fleetOf(CLUSTERS);
    settle(world, CLUSTERS);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect(outcomes(world).at(-1)).toBe('DefaultVersion 2 Completed');
  });

  it('names the field manager of a declaration and of a pin', () => {
    const world = went('v1', 'v2');
    const by = (manager: string, fieldsV1: object): object => ({ manager, operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsV1 });
    const managementAddOn = world.hub.get(clusterManagementAddOns, { name: ADD_ON });
    const fields = { managedFields: [by('argocd', { 'f:spec': {} })] };
    const placements = [placementEntry('all', { ...STRATEGY, addonTemplate: { installVersion: 'v1' } })];
    const spec = { installStrategy: { type: 'Placements', placements } };
    world.hub.put(clusterManagementAddOns, {
      ...managementAddOn,
      metadata: { ...managementAddOn?.metadata, ...fields },
      spec,
    } as unknown as KubeObject);
    settle(world, CLUSTERS);
    expect(entryOf(world).timeline?.[0]).toMatchObject({ from: 2, to: 1, cause: 'Declaration', manager: 'argocd' });
    const rollout = world.rollout() as AddOnRollout;
    const managedFields = [by('kubectl-edit', { 'f:spec': { 'f:pinnedRevision': {} } }), by('other', { 'f:spec': { 'f:paused': {} } })];
    world.hub.put(addOnRollouts, {
      ...rollout,
      metadata: { ...rollout.metadata, managedFields },
      spec: { pinnedRevision: 2 },
    } as unknown as KubeObject);
    settle(world, CLUSTERS);
    expect(entryOf(world).timeline?.[0]).toMatchObject({ from: 1, to: 2, cause: 'Pin', manager: 'kubectl-edit' });
  });

  it('counts a target that completed within the second in which the record is not written', () => {
    const world = fleetOf(CLUSTERS);
    for (let round = 0; round < 3; round++) {
      world.pass(0);
      world.tick(1_100);
    }
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    world.pass(0);
    for (const cluster of CLUSTERS) world.report(cluster, 'arrived');
    expect(outcomes(world)).toEqual(['Declaration 1 open']);
    world.template('v2', 'hello:2');
    world.tick(1_100);
    settle(world, CLUSTERS);
    expect(outcomes(world)).toEqual(['Declaration 1 Completed', 'DefaultVersion 2 Completed']);
  });

  it('holds how long the clusters took, under a budget and under a wildcard admission', () => {
    for (const strategy of [STRATEGY, {}]) {
      const world = fleetOf(CLUSTERS, strategy);
      settle(world, CLUSTERS);
      world.template('v2', 'hello:2');
      const waits: Readonly<Record<string, number>> = { c1: 10_000, c2: 20_000, c3: 60_000 };
      for (let round = 0; round < 3; round++) {
        world.pass(0);
        for (const cluster of CLUSTERS) world.addOnPass(cluster);
        for (const cluster of CLUSTERS.filter(
          (one) => !isDone(world, one) && contentOf(world, one).desired !== contentOf(world, one).applied,
        )) {
          world.tick(waits[cluster] ?? 0);
          world.report(cluster, 'arrived');
        }
        world.tick(1_100);
      }
      settle(world, CLUSTERS);
      const { durations } = entryOf(world).timeline?.[0] ?? {};
      const moved = strategy === STRATEGY ? [20, 60] : [30, 90];
      expect(durations).toEqual({ p50: moved[0], p90: moved[1], max: moved[1] });
    }
  });

  it('a pin for one entry moves only its clusters, and takes precedence over the pin for all', () => {
    const world = new World();
    for (const cluster of CLUSTERS) world.cluster(cluster);
    world.template('v1', 'hello:1');
    world.choose('a', [['c1', 'c2']]);
    world.choose('b', [['c3']]);
    world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('a'), placementEntry('b')] } });
    world.start();
    settle(world, CLUSTERS);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    const versions = (): readonly (string | undefined)[] => CLUSTERS.map((cluster) => world.addOn(cluster)?.status?.currentVersion);
    const ask = (spec: object): void => {
      world.ask({ pinnedRevision: undefined, pinnedEntries: undefined, ...spec });
      settle(world, CLUSTERS);
    };
    ask({ pinnedEntries: [{ name: 'default/b', revision: 1 }] });
    expect(versions()).toEqual(['v2', 'v2', 'v1']);
    expect(entryOf(world, 'default/b').timeline?.[0]).toMatchObject({ from: 2, to: 1, cause: 'Pin', outcome: 'Completed' });
    ask({ pinnedRevision: 1, pinnedEntries: [{ name: 'default/b', revision: 2 }] });
    expect(versions()).toEqual(['v1', 'v1', 'v2']);
    ask({ pinnedEntries: [{ name: 'default/b', revision: 9 }] });
    expect(versions()).toEqual(['v2', 'v2', 'v2']);
    expect(entryOf(world, 'default/b').message).toContain(
      'spec.pinnedEntries[default/b].revision 9 is not among the stored revisions (2, 1)',
    );
    ask({});
    expect(versions()).toEqual(['v2', 'v2', 'v2']);
  });

  it('a settled record from before the timeline is not written for it, and gets it with its next target', () => {
    const world = went('v1');
    const rollout = world.rollout() as AddOnRollout;
    const entries = (rollout.status?.entries ?? []).map(({ timeline: _, ...entry }) => entry);
    world.hub.put(addOnRollouts, { ...rollout, status: { ...rollout.status, entries } } as KubeObject);
    const before = world.rollout()?.metadata.resourceVersion;
    settle(world, CLUSTERS);
    expect(world.rollout()?.metadata.resourceVersion).toBe(before);
    world.template('v2', 'hello:v2');
    declareVersion(world, 'v2');
    settle(world, CLUSTERS, () => 'failed');
    expect(outcomes(world)).toEqual(['? 1 Completed', 'Declaration 2 Halted']);
    expect(wayBack(entryOf(world))).toBe(1);
  });
});
