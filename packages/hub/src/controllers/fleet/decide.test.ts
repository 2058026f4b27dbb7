import {
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  controllerRevisions,
  managedClusterAddOns,
  managedClusters,
  placements,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { EventIntent } from '@outrigger/kube';
import { nowAt, outcomesOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';
import {
  condition,
  contentOf,
  entryOf,
  fleetOf,
  isDone,
  inFlight,
  installedOn,
  placementEntry,
  progressReason,
  progressive,
  settle,
} from './fixtures.js';
import { ADD_ON, World } from '../../../testing/fleet/world.js';
import type { FleetState } from './state.js';

const CLUSTERS = ['c1', 'c2', 'c3'];

/** The state that the next pass observes. */
function stateOf(world: World): FleetState {
  world.pass(0);
  return world.lastSeen as FleetState;
}

describe('a fleet pass', () => {
  describe('counts the failures of clusters that another entry admitted to the same target', () => {
    const all = { type: 'Placements', placements: [placementEntry('all')] };
    const strategies: readonly { readonly title: string; readonly before: object }[] = [
      { title: 'by a wildcard', before: all },
      { title: 'by a wildcard of a label selector', before: { type: 'ClusterLabelSelector', labelSelector: {} } },
      { title: 'by name', before: { type: 'Placements', placements: [placementEntry('all', progressive({ maxConcurrency: 1 }))] } },
    ];
    const deadlines = [{ deadline: 'None' }, { deadline: '1h' }];
    it.each(strategies.flatMap((one) => deadlines.map((other) => ({ ...one, ...other }))))('$title, deadline $deadline', (given) => {
      const world = fleetOf(['c1']);
      world.declare({ installStrategy: given.before });
      settle(world, ['c1'], () => 'failed');
      for (const cluster of ['c2', 'c3']) world.cluster(cluster);
      world.choose('next', [CLUSTERS]);
      const options = { maxConcurrency: 3, maxFailures: 0, progressDeadline: given.deadline };
      world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('next', progressive(options))] } });
      world.pass(0);
      expect(inFlight(world, 'default/next').split(',')).not.toContain('c2');
      expect(entryOf(world, 'default/next').state).toBe('Halted');
    });
  });

  it.each([
    { had: 'a wildcard admission', rest: {} },
    { had: 'named admissions', rest: progressive({ maxConcurrency: 1 }) },
  ])('a cluster on its way from another entry keeps its slot in an entry that had $had', ({ rest }) => {
    const world = fleetOf(CLUSTERS);
    world.template('v2', 'hello:2');
    world.choose('all', [['c2', 'c3']]);
    world.choose('canary', [['c1']]);
    const declare = (rollout: object): void => {
      const all = placementEntry('all', { addonTemplate: { installVersion: 'v1' }, ...rollout });
      const canary = placementEntry('canary', { addonTemplate: { installVersion: 'v2' }, ...progressive({ maxConcurrency: 1 }) });
      world.declare({ installStrategy: { type: 'Placements', placements: [all, canary] } });
    };
    // The annotations of c2 and c3 name their content, so one pass replaces the wildcard admission.
    declare(progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS, (cluster) => (cluster === 'c1' ? undefined : 'arrived'));
    declare(rest);
    settle(world, ['c2', 'c3']);
    world.choose('all', [CLUSTERS]);
    const merged = placementEntry('all', { addonTemplate: { installVersion: 'v2' }, ...progressive({ maxConcurrency: 1 }) });
    world.declare({ installStrategy: { type: 'Placements', placements: [merged] } });
    world.pass(0);
    expect([inFlight(world), entryOf(world).failed]).toEqual(['c1', 0]);
  });

  it('decides nothing about a settled fleet, nor after a restart over one', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    const before = world.hub.revision;
    expect(world.pass(0)).toEqual([]);
    world.crash(0);
    expect([world.pass(0), world.hub.revision - before]).toEqual([[], 0]);
  });

  it('looks up only the clusters that have not moved yet', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    const lookedUp = (): readonly string[] => {
      const names = new Set<string>();
      const state = stateOf(world);
      const cluster = (name: string): ReturnType<FleetState['cluster']> => {
        names.add(name);
        return state.cluster(name);
      };
      decide({ ...state, cluster }, nowAt(world.wall));
      return [...names].sort();
    };
    expect(lookedUp()).toEqual([]);
    world.template('v1', 'hello:2');
    expect(lookedUp()).toEqual(CLUSTERS);
  });

  it('marks the add-ons it creates, owns them, and names the manager that owns their fields', () => {
    const world = fleetOf(['c1'], { addonTemplate: { installVersion: 'v1', installNamespace: 'ns' } });
    world.pass(0);
    const clusterAddOn = world.addOn('c1');
    expect(clusterAddOn?.spec).toEqual({ installVersion: 'v1', installNamespace: 'ns' });
    expect(clusterAddOn?.metadata.annotations?.['outrigger.dev/installed-spec']).toMatch(/^[0-9a-f]{16}$/);
    expect(clusterAddOn?.metadata.ownerReferences).toMatchObject([{ kind: 'ClusterManagementAddOn', name: ADD_ON, controller: true }]);
    expect(clusterAddOn?.metadata.managedFields).toMatchObject([{ manager: 'outrigger-installer', operation: 'Update' }]);
  });

  it.each([
    { name: 'is not there', change: (world: World) => world.hub.remove(managedClusters, { name: 'c1' }) },
    {
      name: 'is being deleted',
      change: (world: World) =>
        world.hub.put(managedClusters, {
          ...cluster('c1'),
          metadata: { name: 'c1', deletionTimestamp: '2026-01-01T00:00:00Z' },
        } as unknown as KubeObject),
    },
    {
      name: 'wants nothing installed by itself',
      change: (world: World) => {
        const annotations = { 'addon.open-cluster-management.io/disable-automatic-installation': 'true' };
        world.hub.put(managedClusters, { ...cluster('c1'), metadata: { name: 'c1', annotations } } as unknown as KubeObject);
      },
    },
  ])('creates nothing if the ManagedCluster $name, and continues with the others', ({ change }) => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    change(world);
    settle(world, CLUSTERS);
    expect([installedOn(world, CLUSTERS), entryOf(world).state]).toEqual(['c2,c3', 'Completed']);
  });

  it('treats an empty version in an entry as absent', () => {
    const world = fleetOf(['c1'], { addonTemplate: { installVersion: '' } });
    settle(world, ['c1']);
    expect([world.addOn('c1')?.spec, world.addOn('c1')?.status?.installVersion]).toEqual([{}, 'v1']);
  });

  it('copies the annotations of a ManagedCluster that are for add-ons, and no others', () => {
    const world = fleetOf(CLUSTERS);
    const annotations = { 'addon.open-cluster-management.io/values': '{}', 'open-cluster-management.io/image-registries': '{}' };
    world.hub.put(managedClusters, { ...cluster('c1'), metadata: { name: 'c1', annotations } } as unknown as KubeObject);
    world.pass(0);
    const given = (name: string): string[] => Object.keys(world.addOn(name)?.metadata.annotations ?? {}).sort();
    expect([given('c1'), given('c2')]).toEqual([
      ['addon.open-cluster-management.io/values', 'outrigger.dev/installed-spec'],
      ['outrigger.dev/installed-spec'],
    ]);
  });

  it('keeps the reported digest of a config that it may not read', () => {
    const state = stateOf(fleetOf(CLUSTERS));
    const widgets = { group: 'example.com', resource: 'widgets' };
    const config = { namespace: 'default', name: 'w' };
    const patchedWith = (problem: 'Forbidden' | 'NotFound'): unknown => {
      const { managementAddOn, configs } = state;
      const told = [{ ...widgets, desiredConfig: { ...config, specHash: 'theirs' } }];
      const { stages } = decide(
        {
          ...state,
          outcomes: outcomesOf([]),
          managementAddOn: {
            ...managementAddOn,
            spec: { ...managementAddOn.spec, supportedConfigs: [{ ...widgets, defaultConfig: config }] },
            status: { ...managementAddOn.status, defaultconfigReferences: told },
          },
          configs: { ...configs, live: (ref) => (ref.resource === 'widgets' ? problem : configs.live(ref)) },
        },
        nowAt(1e12),
      );
      const action = stages.flat().find(({ id }) => id === 'status');
      return action?.type === 'patch' ? (action.patch['status'] as Record<string, unknown>)['defaultconfigReferences'] : undefined;
    };
    expect(patchedWith('Forbidden')).toBeUndefined();
    expect(patchedWith('NotFound')).toEqual([{ ...widgets, desiredConfig: { ...config, specHash: '' } }]);
  });

  it('rolls out another version of the same content like any other change', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    const template = world.hub.get(addOnTemplates, { name: 'hello-v1' });
    const labels = { 'open-cluster-management.io/addon-version': 'v2' };
    world.hub.put(addOnTemplates, { ...template, metadata: { ...template?.metadata, labels } } as KubeObject);
    world.pass(0);
    const versions = (): (string | undefined)[] => CLUSTERS.map((name) => world.addOn(name)?.status?.installVersion);
    for (const name of CLUSTERS) world.addOnPass(name);
    expect(versions()).toEqual(['v2', 'v1', 'v1']);
    settle(world, CLUSTERS);
    expect([versions(), entryOf(world).state]).toEqual([['v2', 'v2', 'v2'], 'Completed']);
  });

  it("leaves out an entry's references of kinds that the add-on does not support", () => {
    const kind = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' };
    const targeted = (supportedConfigs: readonly object[]): unknown => {
      const world = new World();
      world.cluster('c1');
      world.choose('all', [['c1']]);
      const placements = [placementEntry('all', { configs: [{ ...kind, namespace: 'default', name: 'here' }] })];
      world.declare({ supportedConfigs, installStrategy: { type: 'Placements', placements } });
      world.start();
      settle(world, []);
      return world.rollout()?.status?.history?.[0]?.configs?.map(({ name }) => name) ?? [];
    };
    expect([targeted([]), targeted([kind])]).toEqual([[], ['here']]);
  });

  it('gives a cluster of several placements to the last, as a whole', () => {
    const world = fleetOf(CLUSTERS);
    world.choose('canary', [['c2']]);
    const entries = [
      placementEntry('all', { addonTemplate: { installNamespace: 'a', installVersion: 'v1' } }),
      placementEntry('canary', { addonTemplate: { installNamespace: 'b' } }),
    ];
    world.declare({ installStrategy: { type: 'Placements', placements: entries } });
    world.pass(0);
    expect(CLUSTERS.map((name) => world.addOn(name)?.spec)).toEqual([
      { installNamespace: 'a', installVersion: 'v1' },
      { installNamespace: 'b' },
      { installNamespace: 'a', installVersion: 'v1' },
    ]);
  });

  it.each<{ size: number | string | undefined; want: string }>([
    { size: undefined, want: 'c1,c2,c3' },
    { size: 0, want: 'c1,c2,c3' },
    { size: '0%', want: 'c1,c2,c3' },
    { size: 1, want: 'c1' },
    { size: '1%', want: 'c1' },
    { size: '34%', want: 'c1,c2' },
    { size: 9, want: 'c1,c2,c3' },
  ])('without maxConcurrency, as many clusters move at once as a decision group of size $size has', ({ size, want }) => {
    const world = fleetOf(CLUSTERS, { rolloutStrategy: { type: 'Progressive' } });
    const placement = world.hub.get(placements, { namespace: 'default', name: 'all' });
    const spec = { decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: size } } };
    world.hub.put(placements, { ...placement, spec } as never);
    world.pass(0);
    world.pass(0);
    expect(inFlight(world)).toBe(want);
  });

  it('does not change a record of another format, and reports it once', () => {
    const world = fleetOf(CLUSTERS);
    settle(world, CLUSTERS);
    const rollout = world.rollout();
    const [entry] = rollout?.status?.entries ?? [];
    const [target] = rollout?.status?.history ?? [];
    const foreign = {
      formatVersion: 9,
      entries: [{ ...entry, targetRevision: 2, inFlight: [{ cluster: '*', revision: 2, admittedAt: '2026-01-01T00:00:00Z' }] }],
      history: [{ ...target, revision: 2, configs: target?.configs?.map((ref) => ({ ...ref, specHash: 'elsewhere' })) }],
    };
    world.hub.put(addOnRollouts, { ...rollout, status: foreign } as KubeObject);
    world.template('v1', 'hello:2');
    expect(world.pass(0).map(({ id }) => id)).toEqual(['status']);
    const seen = world.lastSeen as FleetState;
    const early = decide({ ...seen, outcomes: outcomesOf([], [], { status: 0 }) }, nowAt(world.wall, 400));
    expect(early).toEqual({ stages: [], requeueAfterMs: 600 });
    expect(condition(world, 'Progressing')).toMatchObject({ status: 'False', reason: 'Failed' });
    expect(condition(world, 'Progressing')?.message).toContain('has format 9 and this manager reads 1');
    expect(world.pass(0)).toEqual([]);
    // Like the fleet passes, the add-on passes do not act on a record with another format.
    expect(CLUSTERS.map((cluster) => world.addOnPass(cluster))).toEqual([false, false, false]);
    world.hub.put(addOnRollouts, { ...rollout } as KubeObject);
    world.tick(1_100);
    world.pass(0);
    expect(condition(world, 'Progressing')).toBeUndefined();
  });

  it('writes record and status at most once a second, with the newest state', () => {
    const world = fleetOf(CLUSTERS);
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    expect(world.pass(0).map(({ id }) => id)).toContain('record');
    world.template('v1', 'hello:3');
    const ids = world.pass(0).map(({ id }) => id);
    expect(ids).not.toContain('record');
    expect(world.recheckMs).toBe(1000);
    world.tick(1000);
    world.pass(0);
    expect(entryOf(world).targetRevision).toBe(3);
    const state = stateOf(world);
    const late = decide({ ...state, outcomes: outcomesOf([], [], { record: 0, status: 0 }) }, nowAt(world.wall, 999_999));
    expect(late.requeueAfterMs).toBeUndefined();
  });

  it('reports milestones as Events on the declaration', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 3 }));
    const events: string[] = [];
    const told = (list: readonly EventIntent[] | undefined): void => {
      for (const { reason, type, message } of list ?? []) events.push(`${type} ${reason} ${message}`);
    };
    for (let round = 0; round < 4; round++) {
      const state = stateOf(world);
      told(decide({ ...state, outcomes: outcomesOf() }, nowAt(world.wall, 1e9)).events);
      for (const name of CLUSTERS) {
        world.addOnPass(name);
        world.report(name, 'arrived');
      }
      world.tick(1_100);
    }
    expect(events).toEqual([
      'Normal RolloutStarted default/all: version v1 (revision 1) to 3 clusters',
      'Normal RolloutCompleted default/all: version v1 (revision 1) on 3 of 3 clusters',
    ]);
  });

  it('reports a completed rollout once, when the record contains it, also for a revision that completed before', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 3, maxFailures: 0 }));
    const events: string[] = [];
    const run = (outcome: 'arrived' | 'failed', rounds = 6): void => {
      for (let round = 0; round < rounds; round++) {
        const { events: sent = [] } = decide({ ...stateOf(world), outcomes: outcomesOf() }, nowAt(world.wall, 1e9));
        for (const { reason, message } of sent)
          events.push(`${reason} ${message.replace(/^default\/all: version /, '').replace(/: .*/, '')}`);
        for (const name of CLUSTERS) {
          world.addOnPass(name);
          if (!isDone(world, name)) world.report(name, outcome);
        }
        world.tick(1_100);
      }
    };
    run('arrived');
    world.template('v2', 'hello:2');
    run('failed');
    // When the rollout is paused and resumed, no second Event reports the halt.
    world.ask({ paused: true });
    run('failed');
    world.ask({ paused: false });
    run('failed');
    world.ask({ pinnedRevision: 1 });
    run('arrived');
    run('arrived');
    expect(events).toEqual([
      'RolloutStarted v1 (revision 1) to 3 clusters',
      'RolloutCompleted v1 (revision 1) on 3 of 3 clusters',
      'RolloutStarted v2 (revision 2) to 3 clusters',
      'RolloutHalted v2 (revision 2)',
      'RolloutStarted v1 (revision 1) to 3 clusters',
      'RolloutCompleted v1 (revision 1) on 3 of 3 clusters',
    ]);
  });

  it('reports no rollout as complete if no cluster is selected, as upstream', () => {
    const world = fleetOf([]);
    settle(world, []);
    const [progression] = world.hub.get(clusterManagementAddOns, { name: ADD_ON })?.status?.installProgressions ?? [];
    expect(progression?.conditions).toMatchObject([{ type: 'Progressing', status: 'True', reason: 'Progressing' }]);
    expect(progression?.configReferences?.map(({ lastAppliedConfig }) => lastAppliedConfig)).toEqual([undefined]);
  });

  it('reports no rollout as complete while all clusters are away, because none has the target', () => {
    const world = fleetOf(CLUSTERS);
    for (const cluster of CLUSTERS) world.cluster(cluster, 'Unknown');
    world.pass(0);
    world.tick(1_100);
    world.pass(0);
    expect([entryOf(world).skipped, entryOf(world).completedRevision, progressReason(world)]).toEqual([3, undefined, 'Progressing']);
    for (const cluster of CLUSTERS) world.cluster(cluster, 'True');
    settle(world, CLUSTERS);
    expect(progressReason(world)).toBe('Completed');
  });

  it('reports progressions as upstream does, with our counters', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    const good = { name: 'hello-v1', specHash: contentOf(world, 'c1').applied };
    const progression = (): unknown => world.hub.get(clusterManagementAddOns, { name: ADD_ON })?.status?.installProgressions?.[0];
    const kind = { group: 'addon.open-cluster-management.io', resource: 'addontemplates' };
    expect(progression()).toMatchObject({
      namespace: 'default',
      name: 'all',
      configReferences: [{ ...kind, desiredConfig: good, lastAppliedConfig: good, lastKnownGoodConfig: good }],
      conditions: [
        {
          type: 'Progressing',
          status: 'False',
          reason: 'Completed',
          message: 'selected 3, done 3, progressing 0, failed 0, skipped 0',
          observedGeneration: 1,
        },
      ],
    });
    world.template('v2', 'hello:2');
    for (let round = 0; round < 2; round++) {
      world.pass(0);
      world.tick(1_100);
    }
    expect(progression()).toMatchObject({
      configReferences: [{ ...kind, desiredConfig: { name: 'hello-v2', specHash: expect.any(String) } }],
      conditions: [{ status: 'True', reason: 'Progressing', message: 'selected 3, done 0, progressing 1, failed 0, skipped 0' }],
    });
  });

  it('publishes the versions of templates, and none of an add-on that publishes its own', () => {
    const world = fleetOf(CLUSTERS);
    world.template('v2', 'hello:2');
    world.template('v3-rc.1', 'hello:3');
    world.pass(0);
    const { status } = world.hub.get(clusterManagementAddOns, { name: ADD_ON }) ?? {};
    expect([status?.supportedVersions, status?.defaultVersion]).toEqual([['v1', 'v2', 'v3-rc.1'], 'v2']);

    const own = new World();
    own.cluster('c1');
    own.choose('all', [['c1']]);
    own.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all')] } });
    const declared = own.hub.get(clusterManagementAddOns, { name: ADD_ON });
    own.hub.put(clusterManagementAddOns, { ...declared, status: { supportedVersions: ['5', '6'], defaultVersion: '6' } } as KubeObject);
    own.start();
    own.pass(0);
    own.tick(1_100);
    own.pass(0);
    const after = own.hub.get(clusterManagementAddOns, { name: ADD_ON })?.status;
    expect([after?.supportedVersions, after?.defaultVersion]).toEqual([['5', '6'], '6']);
    expect(own.rollout()?.status?.target).toBe('6 (revision 1)');
  });

  it('keeps the content of ten targets, shares it between declarations, and collects unused content later', () => {
    const world = fleetOf(['c1']);
    for (let image = 1; image <= 14; image++) {
      world.template('v1', `hello:${image}`);
      settle(world, ['c1']);
      world.tick(700_000);
    }
    world.pass(0);
    expect(world.rollout()?.status?.history?.map(({ revision }) => revision)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
    expect(world.hub.list(controllerRevisions)).toHaveLength(10);
    const [first] = world.hub.list(controllerRevisions);
    const other = { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', name: 'other', uid: 'other' };
    world.hub.put(controllerRevisions, {
      ...first,
      metadata: { ...first?.metadata, ownerReferences: [...(first?.metadata.ownerReferences ?? []), other] },
    } as KubeObject);
    for (let image = 20; image <= 31; image++) {
      world.template('v1', `hello:${image}`);
      settle(world, ['c1']);
      world.tick(700_000);
    }
    world.pass(0);
    const left = world.hub
      .list(controllerRevisions)
      .filter(({ metadata }) => metadata.ownerReferences?.every(({ name }) => name === 'other'));
    expect([world.hub.list(controllerRevisions).length, left.length]).toEqual([11, 1]);
  });
});

describe('pausing', () => {
  it('admits no further cluster, lets clusters in flight finish, and reports it', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    world.pass(0);
    world.ask({ paused: true });
    settle(world, CLUSTERS);
    expect(entryOf(world)).toMatchObject({ state: 'Paused', done: 1 });
    expect(world.rollout()?.status?.state).toBe('Paused');
    world.ask({ paused: false });
    settle(world, CLUSTERS);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', done: 3 });
  });

  it.each([
    { name: 'paused', hold: (world: World) => world.ask({ paused: true }), outcome: () => 'arrived' as const },
    { name: 'halted', hold: () => undefined, outcome: (name: string) => (name === 'c1' ? ('failed' as const) : ('arrived' as const)) },
  ])('a cluster that joins while $name gets the last revision that completed', ({ hold, outcome }) => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    const completed = contentOf(world, 'c3').applied;
    hold(world);
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS, outcome);
    world.cluster('c9');
    world.choose('all', [[...CLUSTERS, 'c9']]);
    settle(world, [...CLUSTERS, 'c9'], outcome);
    expect(contentOf(world, 'c9')).toEqual({ desired: completed, applied: completed });
    expect(inFlight(world)).toBe('');
  });

  it('otherwise a cluster that joins waits and reports it', () => {
    const world = fleetOf([]);
    world.pass(0);
    world.ask({ paused: true });
    world.cluster('c9');
    world.choose('all', [['c9']]);
    settle(world, ['c9']);
    expect(contentOf(world, 'c9').desired).toBeUndefined();
    expect(entryOf(world).message).toContain('no revision has completed yet, so clusters that join wait');
  });
});

describe('the overrides of one cluster', () => {
  const pinned = (outcome: 'failed' | undefined): World => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    world.edit('c2', { installVersion: 'v1' });
    world.addOnPass('c2');
    if (outcome) world.report('c2', outcome);
    world.template('v2', 'hello:3');
    settle(world, ['c1', 'c3']);
    return world;
  };

  it.each([
    { name: 'fails', outcome: 'failed' as const },
    { name: 'is still on its way', outcome: undefined },
  ])('holds up no other cluster where it $name', ({ outcome }) => {
    const world = pinned(outcome);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', failed: 0, done: 3 });
    expect(contentOf(world, 'c3').applied).toBe(contentOf(world, 'c1').applied);
  });
});

describe('a user who overrides the configs of one cluster', () => {
  const group = 'addon.open-cluster-management.io';
  const refsOf = (world: World): string[] =>
    CLUSTERS.map((cluster) => (world.addOn(cluster)?.status?.configReferences ?? []).map(({ name }) => name).join());

  it('removes all configs of the addonTemplate from that cluster, which still follows its version', () => {
    const configs = [{ group, resource: 'addondeploymentconfigs', name: 'here' }];
    const world = fleetOf(CLUSTERS, { addonTemplate: { installVersion: 'v1', configs } });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    world.edit('c2', { configs: [] });
    settle(world, CLUSTERS);
    expect(refsOf(world)).toEqual(['here,hello-v1', 'hello-v1', 'here,hello-v1']);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', done: 3, targetRevision: 1, ownConfigsRevision: 3 });
    world.edit('c2', { configs: undefined });
    settle(world, CLUSTERS);
    expect(refsOf(world)).toEqual(['here,hello-v1', 'here,hello-v1', 'here,hello-v1']);
    expect(entryOf(world).ownConfigsRevision).toBeUndefined();
  });

  it('gets the default template instead of the one that the declaration names, within the budget', () => {
    const configs = [{ group, resource: 'addontemplates', name: 'hello-v1' }];
    const world = fleetOf(CLUSTERS, { addonTemplate: { configs }, ...progressive({ maxConcurrency: 1 }) });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect(refsOf(world)).toEqual(['hello-v1', 'hello-v1', 'hello-v1']);
    world.edit('c2', { configs: [] });
    settle(world, CLUSTERS);
    expect(refsOf(world)).toEqual(['hello-v1', 'hello-v2', 'hello-v1']);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', done: 3 });
  });
});

describe('add-ons that users created', () => {
  const byHand = (name: string, spec: object = {}): KubeObject =>
    ({
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ManagedClusterAddOn',
      metadata: { namespace: name, name: ADD_ON },
      spec,
    }) as KubeObject;

  it('are rolled out with the entry, but without its addonTemplate', () => {
    const world = fleetOf(CLUSTERS, { addonTemplate: { installVersion: 'v1' } });
    world.template('v2', 'hello:2');
    world.hub.put(managedClusterAddOns, byHand('c1'));
    settle(world, CLUSTERS);
    expect(CLUSTERS.map((name) => world.addOn(name)?.status?.currentVersion)).toEqual(['v2', 'v1', 'v1']);
    expect(world.addOn('c1')?.spec).toEqual({});
    expect(entryOf(world)).toMatchObject({ state: 'Completed', done: 3, targetRevision: 1, handMadeRevision: 2 });
  });

  it('are never removed', () => {
    const world = fleetOf(CLUSTERS);
    world.cluster('c9');
    world.hub.put(managedClusterAddOns, byHand('c9'));
    settle(world, [...CLUSTERS, 'c9']);
    for (let round = 0; round < 20; round++) {
      world.pass(0);
      world.tick(5_000);
    }
    expect(world.addOn('c9')).toBeDefined();
  });

  it('under Manual follow a changed default at once, except for fields of their spec', () => {
    const world = fleetOf(CLUSTERS, { addonTemplate: { installVersion: 'v1' } });
    settle(world, CLUSTERS);
    world.declare({ installStrategy: { type: 'Manual' } });
    world.hub.put(managedClusterAddOns, byHand('c9'));
    world.cluster('c9');
    world.template('v2', 'hello:2');
    settle(world, [...CLUSTERS, 'c9']);
    expect([...CLUSTERS, 'c9'].map((name) => world.addOn(name)?.status?.currentVersion)).toEqual(['v1', 'v1', 'v1', 'v2']);
  });
});

function cluster(name: string): object {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name },
    spec: { hubAcceptsClient: true },
  };
}
