import {
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type ManifestWorkReplicaSetSpec,
  REPLICA_SET_FINALIZER,
  REPLICA_SET_LABEL,
  REPLICA_SET_PLACEMENT_LABEL,
  type RolloutStrategy,
  TEMPLATE_WRITTEN_ANNOTATION,
  manifestWorkReplicaSets,
  manifestWorks,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { type Condition, type KubeObject, TIME_ROUNDING_MS, findCondition } from '@outrigger/core';
import { briefly, nowAt, outcomesOf, passOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ObjectHub, settle } from '../../../testing/settle.js';
import { replicaSetController } from './controller.js';
import { KEY, NAMESPACE, conditions, foreignWork, page, placed, placement, replicaSet, template } from './fixtures.js';
import type { SeenWorks } from './soak.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const controller = replicaSetController();
const settled = (hub: ObjectHub, now: number, remembered: SeenWorks | undefined) => settle(controller, hub, KEY, { now, remembered });

const UP = { Applied: 'True', Available: 'True' } as const;
const ROLLED_OUT = { ...UP, Progressing: 'False' } as const;
const MOVING = { ...UP, Progressing: 'True' } as const;
const BROKEN = { ...UP, Progressing: 'True', Degraded: 'True' } as const;

/** A hub with one ManifestWorkReplicaSet. Its agents report what the test specifies. */
class World {
  readonly hub: ObjectHub;
  now = START;
  #remembered: SeenWorks | undefined;

  constructor(set: ManifestWorkReplicaSet, ...objects: readonly KubeObject[]) {
    this.hub = new ObjectHub(controller, [set, ...objects]);
  }

  /** Runs passes until a pass writes nothing, and returns the writes. */
  settle(): readonly string[] {
    return this.rest().decisions.flatMap(briefly);
  }

  rest(): ReturnType<typeof settled> {
    const end = settled(this.hub, this.now, this.#remembered);
    this.#remembered = end.remembered;
    return end;
  }

  /** Continues as a new process, without in-memory state. */
  restart(): void {
    this.#remembered = undefined;
  }

  works(): readonly ManifestWork[] {
    return [...this.hub.list(manifestWorks)].sort((a, b) => ((a.metadata.namespace ?? '') < (b.metadata.namespace ?? '') ? -1 : 1));
  }

  /** The value in each cluster's work, such as `c1=one c2=two`. */
  values(): string {
    return this.works()
      .map(({ metadata, spec }) => {
        const [manifest] = spec.workload?.manifests ?? [];
        return `${metadata.namespace}=${(manifest as { data?: { value: string } } | undefined)?.data?.value ?? ''}`;
      })
      .join(' ');
  }

  report(cluster: string, states: Readonly<Record<string, Condition['status']>>): void {
    for (const work of this.works().filter(({ metadata }) => metadata.namespace === cluster)) {
      this.hub.put({ ...work, status: { conditions: conditions(states, work.metadata.generation ?? 0, this.now) } } as ManifestWork);
    }
  }

  change(spec: Partial<ManifestWorkReplicaSetSpec>, metadata: KubeObject['metadata'] = {}): void {
    const set = this.set();
    const changed = { ...set, metadata: { ...set.metadata, ...metadata }, spec: { ...set.spec, ...spec } } as ManifestWorkReplicaSet;
    this.hub.put(changed);
  }

  set(): ManifestWorkReplicaSet {
    return this.hub.find(manifestWorkReplicaSets, KEY) as ManifestWorkReplicaSet;
  }

  condition(type: string): string {
    const { status = '', reason = '' } = findCondition(this.set().status?.conditions, type) ?? {};
    return `${status} ${reason}`;
  }
}

describe('replica sets: the works', () => {
  it('creates one work for each selected cluster, with the labels of the set', () => {
    const world = new World(replicaSet({}, { labels: { team: 'red' } }), ...placed('p', 'c1', 'c2'));
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
    const [work] = world.works();
    expect(work?.metadata.name).toMatch(/^web-/);
    expect(work?.metadata.labels).toEqual({
      team: 'red',
      [REPLICA_SET_LABEL]: `${NAMESPACE}.web`,
      [REPLICA_SET_PLACEMENT_LABEL]: 'p',
    });
    expect(world.set().metadata.finalizers).toEqual([REPLICA_SET_FINALIZER]);
  });

  it('sets its finalizer before it creates a work', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1'));
    const first = passOf(controller, world.hub.view, KEY, nowAt(START));
    expect(first && briefly(first)).toEqual(['patch ManifestWorkReplicaSet apps/web']);
  });

  it('writes nothing once it has settled', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2'));
    world.settle();
    expect(world.settle()).toEqual([]);
  });

  it('follows the Placement and the template', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2'));
    world.settle();
    world.hub.put(page('p', ['c2', 'c3']));
    world.settle();
    expect(world.values()).toBe('c2=one c3=one');
    world.change({ manifestWorkTemplate: template('two') });
    world.settle();
    expect(world.values()).toBe('c2=two c3=two');
  });

  it('restores a work that another client changed, and passes labels on', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1'));
    world.settle();
    const [work] = world.works() as [ManifestWork];
    world.hub.put({ ...work, spec: template('edited') } as ManifestWork);
    world.settle();
    expect(world.values()).toBe('c1=one');
    world.change({}, { labels: { team: 'blue' } });
    expect(world.settle()).toEqual([`patch ManifestWork c1/${work.metadata.name ?? ''}`]);
    expect(world.works()[0]?.metadata.labels?.['team']).toBe('blue');
  });

  it('accepts fields that the API server adds to a work', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1'));
    world.settle();
    const [work] = world.works() as [ManifestWork];
    world.hub.put({ ...work, spec: { ...work.spec, deleteOption: { propagationPolicy: 'Foreground' } } } as ManifestWork);
    expect(world.settle().filter((write) => write.includes('ManifestWork '))).toEqual([]);
  });

  it('removes a field that the template lost', () => {
    const options = { deleteOption: { propagationPolicy: 'Orphan' } } as const;
    const world = new World(replicaSet({ manifestWorkTemplate: template('one', options) }), ...placed('p', 'c1'));
    world.settle();
    world.change({ manifestWorkTemplate: template('one') });
    world.settle();
    expect(world.works()[0]?.spec.deleteOption).toBeUndefined();
  });

  it('uses the works that another controller created, and deletes a second one', () => {
    const spec = template('one');
    const world = new World(
      replicaSet(),
      ...placed('p', 'c1', 'c2'),
      foreignWork('c1', 'web8x2kq', spec),
      foreignWork('c1', 'webzz999', spec),
    );
    world.settle();
    expect(world.works().map(({ metadata }) => metadata.name)).toEqual(['web8x2kq', expect.stringMatching(/^web-/)]);
  });

  it.each([
    { name: 'addon-hello-deploy-0', placement: 'p', cluster: 'c1' },
    { name: 'addon-hello-deploy-0', placement: 'p', cluster: 'c9' },
    { name: 'addon-hello-deploy-0', placement: 'gone', cluster: 'c1' },
    { name: 'another', placement: 'p', cluster: 'c1' },
    { name: 'web', placement: 'p', cluster: 'c1' },
    { name: 'web-00000000', placement: 'p', cluster: 'c1' },
    { name: 'web-other-00000', placement: '', cluster: 'c1' },
  ])('AT-49 leaves the work $name in $cluster alone whose labels an agent set to those of the set', ({ name, placement, cluster }) => {
    const forged = foreignWork(cluster, name, template('another'));
    const labels = { ...forged.metadata.labels, [REPLICA_SET_PLACEMENT_LABEL]: placement };
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2'), {
      ...forged,
      metadata: { ...forged.metadata, labels },
    });
    world.settle();
    for (const one of ['c1', 'c2']) world.report(one, UP);
    world.settle();
    const kept = world.works().find(({ metadata }) => metadata.name === name);
    expect(kept?.spec).toEqual(template('another'));
    expect(world.works()).toHaveLength(3);
    expect(world.set().status?.summary).toMatchObject({ total: 2 });
    world.change({ placementRefs: [] });
    world.settle();
    expect(world.works().map(({ metadata }) => metadata.name)).toEqual([name]);
  });

  it('AT-49 repairs the Placement label of its work, whatever an agent set there', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1'));
    world.settle();
    const [work] = world.works();
    for (const placement of ['q', '', 'gone']) {
      const labels = { ...work?.metadata.labels, [REPLICA_SET_PLACEMENT_LABEL]: placement };
      world.hub.put({ ...work, metadata: { ...work?.metadata, labels } } as ManifestWork);
      world.settle();
      expect(world.works().map(({ metadata }) => metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL])).toEqual(['p']);
      expect(world.works()[0]?.metadata.uid).toBe(work?.metadata.uid);
    }
  });

  it('creates a work for each Placement that selects a cluster, and deletes those of a Placement it no longer references', () => {
    const world = new World(
      replicaSet({ placementRefs: [{ name: 'p' }, { name: 'q' }] }),
      ...placed('p', 'c1'),
      ...placed('q', 'c1', 'c2'),
    );
    world.settle();
    expect(world.values()).toBe('c1=one c1=one c2=one');
    world.change({ placementRefs: [{ name: 'q' }] });
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
  });
});

describe('replica sets: clusters that are not known', () => {
  const misconfigured = placement('p', 0, {
    conditions: [
      { type: 'PlacementMisconfigured', status: 'True', reason: 'Misconfigured', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  });
  const cases: readonly { name: string; break: (hub: ObjectHub) => void; verified: string }[] = [
    {
      name: 'the Placement is gone',
      break: (hub) => hub.remove(placements, { namespace: NAMESPACE, name: 'p' }),
      verified: 'PlacementDecisionNotFound',
    },
    {
      name: 'its decisions are gone',
      break: (hub) => hub.remove(placementDecisions, { namespace: NAMESPACE, name: 'p-decision-1' }),
      verified: 'PlacementDecisionNotFound',
    },
    { name: 'the decisions are incomplete', break: (hub) => hub.put(placement('p', 5)), verified: 'NotAsExpected' },
    {
      name: 'the Placement is misconfigured',
      break: (hub) => {
        hub.put(misconfigured);
        hub.put(page('p', []));
      },
      verified: 'NotAsExpected',
    },
  ];
  it.each(cases)('keeps every work if $name', ({ break: breakIt, verified }) => {
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2'));
    world.settle();
    breakIt(world.hub);
    world.change({ manifestWorkTemplate: template('two') });
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
    expect(world.condition('PlacementVerified')).toBe(`False ${verified}`);
  });

  it.each([
    { type: 'Progressive', progressive: { minSuccessTime: 'soon' } },
    { type: 'Progressive', progressive: { progressDeadline: '5m or so' } },
    { type: 'Progressive', progressive: { maxConcurrency: 'some' } },
    { type: 'Progressive', progressive: { maxFailures: '-1' } },
    { type: 'ProgressivePerGroup', progressivePerGroup: { minSuccessTime: '5' } },
    { type: 'All', all: { progressDeadline: 'never' } },
  ] as const)('keeps every work, and names the field, if the strategy cannot be read: %j', (strategy) => {
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2'));
    world.settle();
    world.change({ manifestWorkTemplate: template('two'), placementRefs: [{ name: 'p', rolloutStrategy: strategy }] });
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
    expect(world.condition('PlacementVerified')).toBe('False NotAsExpected');
    const [field = ''] = Object.keys({ ...strategy, type: undefined }).filter((name) => name !== 'type');
    expect(findCondition(world.set().status?.conditions, 'PlacementVerified')?.message).toContain(`rolloutStrategy.${field}.`);
    world.change({ placementRefs: [{ name: 'p' }] });
    world.settle();
    expect(world.values()).toBe('c1=two c2=two');
  });

  it('keeps every work until a Placement that was created again, or restored from a backup, is decided', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2', 'c3'));
    world.settle();
    const fresh = (group: number): KubeObject => ({ ...page('p', [], group), status: {} }) as KubeObject;
    world.hub.put({ ...placement('p', 0), status: {} } as KubeObject);
    world.hub.put(fresh(0));
    world.hub.put(fresh(1));
    world.settle();
    expect(world.values()).toBe('c1=one c2=one c3=one');
    world.hub.put(page('p', ['c1']));
    world.settle();
    expect(world.values()).toBe('c1=one c2=one c3=one');
    world.hub.put(page('p', ['c2'], 1));
    world.hub.put(placement('p', 2));
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
  });

  it('deletes all works if a Placement that was never decided before selects no cluster', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1'));
    world.settle();
    world.hub.put({ ...page('p', []), status: {} } as KubeObject);
    world.hub.put(placement('p', 0));
    world.settle();
    expect(world.works()).toEqual([]);
  });

  it('deletes all works if the Placement selects no cluster', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2'));
    world.settle();
    world.hub.put(placement('p', 0));
    world.hub.put(page('p', []));
    world.settle();
    expect(world.works()).toEqual([]);
    expect(world.condition('PlacementVerified')).toBe('False PlacementDecisionEmpty');
    expect(world.condition('ManifestworkApplied')).toBe('False PlacementDecisionEmpty');
  });
});

describe('replica sets: rollout', () => {
  const rollout = (rolloutStrategy: RolloutStrategy): Partial<ManifestWorkReplicaSetSpec> => ({
    placementRefs: [{ name: 'p', rolloutStrategy }],
  });
  const oneByOne: RolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: 1 } };

  it('moves at most maxConcurrency clusters at a time, in the order of their names', () => {
    const world = new World(replicaSet(rollout(oneByOne)), ...placed('p', 'c1', 'c2', 'c3'));
    world.settle();
    expect(world.values()).toBe('c1=one');
    world.report('c1', MOVING);
    world.settle();
    expect(world.values()).toBe('c1=one');
    world.report('c1', ROLLED_OUT);
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
  });

  it.each<{ size: number | string | undefined; want: string }>([
    { size: undefined, want: 'c1=one c2=one c3=one' },
    { size: 0, want: 'c1=one c2=one c3=one' },
    { size: '0%', want: 'c1=one c2=one c3=one' },
    { size: 1, want: 'c1=one' },
    { size: '34%', want: 'c1=one c2=one' },
  ])('without maxConcurrency, as many clusters move at once as a decision group of size $size has', ({ size, want }) => {
    const [selecting, ...pages] = placed('p', 'c1', 'c2', 'c3');
    const spec = { decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: size } } };
    const world = new World(replicaSet(rollout({ type: 'Progressive' })), { ...selecting, spec } as KubeObject, ...pages);
    world.settle();
    expect(world.values()).toBe(want);
  });

  it('counts a work that cannot report Progressing as moved when its objects are available', () => {
    const world = new World(replicaSet(rollout(oneByOne)), ...placed('p', 'c1', 'c2'));
    world.settle();
    world.report('c1', { Applied: 'True', Available: 'False' });
    world.settle();
    expect(world.values()).toBe('c1=one');
    world.report('c1', UP);
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
  });

  it('waits for Progressing if a condition rule computes it', () => {
    const conditionRules = [{ condition: 'Progressing', type: 'CEL', celExpressions: ['true'] } as const];
    const resourceIdentifier = { group: '', resource: 'configmaps', name: 'web', namespace: 'default' };
    const spec = template('one', { manifestConfigs: [{ resourceIdentifier, conditionRules }] });
    const world = new World(replicaSet({ ...rollout(oneByOne), manifestWorkTemplate: spec }), ...placed('p', 'c1', 'c2'));
    world.settle();
    world.report('c1', UP);
    world.settle();
    expect(world.values()).toBe('c1=one');
    world.report('c1', ROLLED_OUT);
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
  });

  it('ignores conditions of an older generation', () => {
    const world = new World(replicaSet(rollout(oneByOne)), ...placed('p', 'c1', 'c2'));
    world.settle();
    const [work] = world.works() as [ManifestWork];
    world.hub.put({
      ...work,
      metadata: { ...work.metadata, generation: 2 },
      status: { conditions: conditions(ROLLED_OUT, 1, START) },
    } as ManifestWork);
    world.settle();
    expect(world.values()).toBe('c1=one');
  });

  it('stops when more clusters have failed than maxFailures', () => {
    const world = new World(
      replicaSet(rollout({ type: 'Progressive', progressive: { maxConcurrency: 1, maxFailures: 1 } })),
      ...placed('p', 'c1', 'c2', 'c3'),
    );
    world.settle();
    world.report('c1', BROKEN);
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
    world.report('c2', BROKEN);
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
    expect(findCondition(world.set().status?.conditions, 'PlacementRolledOut')?.message).toContain('have failed');
  });

  it('waits for minSuccessTime and requests a recheck', () => {
    const world = new World(
      replicaSet(rollout({ type: 'Progressive', progressive: { maxConcurrency: 1, minSuccessTime: '60s' } })),
      ...placed('p', 'c1', 'c2'),
    );
    world.settle();
    world.now += 10_000;
    world.report('c1', ROLLED_OUT);
    const { rest } = world.rest();
    expect([world.values(), rest?.requeueAfterMs]).toEqual(['c1=one', 60_000]);
    world.now += 60_000;
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
  });

  const soaking = rollout({ type: 'Progressive', progressive: { maxConcurrency: 1, minSuccessTime: '60s' } });
  /** Changes the times that the agent of c1 may write: those of its conditions, and the annotation of its work. */
  const forge = (world: World, transition: number, written: number | undefined): void => {
    for (const work of world.works().filter(({ metadata }) => metadata.namespace === 'c1')) {
      const forged = written === undefined ? {} : { [TEMPLATE_WRITTEN_ANNOTATION]: new Date(written).toISOString() };
      const { generation = 0, annotations } = work.metadata;
      world.hub.put({
        ...work,
        metadata: { ...work.metadata, annotations: { ...annotations, ...forged } },
        status: { conditions: conditions(ROLLED_OUT, generation, transition) },
      } as ManifestWork);
    }
  };

  it.each([
    { name: 'conditions of the past', transition: 0, written: undefined },
    { name: 'conditions and annotation of the past', transition: 0, written: 0 },
    { name: 'conditions of the future', transition: START + 86_400_000, written: undefined },
    { name: 'an annotation of the future', transition: START, written: START + 86_400_000 },
  ])('soaks for the whole time, and no longer, if an agent reports $name', ({ transition, written }) => {
    const world = new World(replicaSet(soaking), ...placed('p', 'c1', 'c2'));
    world.settle();
    world.now += 3_600_000;
    forge(world, transition, written);
    expect([world.values(), world.rest().rest?.requeueAfterMs]).toEqual(['c1=one', 60_000]);
    // The agent writes its status again. This does not restart the soak.
    world.now += 30_000;
    forge(world, transition, written);
    expect([world.values(), world.rest().rest?.requeueAfterMs]).toEqual(['c1=one', 30_000]);
    world.now += 30_000;
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
  });

  it('soaks again after each new template, and from the reported time if another process saw the success', () => {
    const world = new World(replicaSet(soaking), ...placed('p', 'c1', 'c2'));
    world.settle();
    world.now += 10_000;
    world.report('c1', ROLLED_OUT);
    world.settle();
    world.restart();
    world.now += 45_000;
    expect([world.values(), world.rest().rest?.requeueAfterMs]).toEqual(['c1=one', 15_000 + TIME_ROUNDING_MS]);
    world.now += 15_000 + TIME_ROUNDING_MS;
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
    world.report('c2', ROLLED_OUT);
    world.settle();
    world.now += 3_600_000;
    world.change({ manifestWorkTemplate: template('two') });
    world.settle();
    expect(world.values()).toBe('c1=two c2=one');
    forge(world, 0, 0);
    expect([world.values(), world.rest().rest?.requeueAfterMs]).toEqual(['c1=two c2=one', 60_000]);
  });

  it('counts a cluster as failed after progressDeadline', () => {
    const world = new World(
      replicaSet(rollout({ type: 'Progressive', progressive: { maxConcurrency: 1, progressDeadline: '5m', maxFailures: 1 } })),
      ...placed('p', 'c1', 'c2'),
    );
    world.settle();
    world.report('c1', MOVING);
    world.settle();
    world.now += 300_000;
    world.settle();
    // The hub knows the start of the move only in whole seconds, so the deadline may pass up to a second later.
    expect(world.values()).toBe('c1=one');
    world.now += TIME_ROUNDING_MS;
    world.settle();
    expect(world.values()).toBe('c1=one c2=one');
  });

  it('moves one decision group after another', () => {
    const world = new World(
      replicaSet(rollout({ type: 'ProgressivePerGroup', progressivePerGroup: {} })),
      placement('p', 3),
      page('p', ['c3'], 0),
      page('p', ['c1', 'c2'], 1),
    );
    world.settle();
    expect(world.values()).toBe('c3=one');
    world.report('c3', ROLLED_OUT);
    world.settle();
    expect(world.values()).toBe('c1=one c2=one c3=one');
  });

  it('soaks from the time of the write if a condition did not change with it', () => {
    const world = new World(
      replicaSet(rollout({ type: 'Progressive', progressive: { maxConcurrency: 1, minSuccessTime: '60s' } })),
      ...placed('p', 'c1'),
    );
    world.settle();
    world.report('c1', ROLLED_OUT);
    world.settle();
    world.now += 3_600_000;
    world.change({ manifestWorkTemplate: template('two') });
    world.settle();
    const { rest } = world.rest();
    expect([world.values(), rest?.requeueAfterMs]).toEqual(['c1=two', 60_000]);
  });
});

describe('replica sets: status', () => {
  it('counts works and completes', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2', 'c3'));
    world.settle();
    expect(world.condition('PlacementVerified')).toBe('True AsExpected');
    expect(world.condition('PlacementRolledOut')).toBe('False Progressing');
    expect(world.condition('ManifestworkApplied')).toBe('False Processing');
    world.report('c1', ROLLED_OUT);
    world.report('c2', BROKEN);
    world.settle();
    const summary = { total: 3, desiredTotal: 3, updated: 3, applied: 2, available: 2, progressing: 1, degraded: 1 };
    expect(world.set().status?.summary).toEqual(summary);
    expect(world.set().status?.placementSummary).toEqual([{ name: 'p', availableDecisionGroups: '1 (3 / 3 clusters applied)', summary }]);
    expect(world.condition('ManifestworkApplied')).toBe('False NotAsExpected');
    for (const cluster of ['c1', 'c2', 'c3']) world.report(cluster, ROLLED_OUT);
    world.settle();
    expect(world.condition('PlacementRolledOut')).toBe('True Complete');
    expect(world.condition('ManifestworkApplied')).toBe('True AsExpected');
  });

  it('reports a work that the API server refuses', () => {
    const world = new World(replicaSet({}, { finalizers: [REPLICA_SET_FINALIZER] }), ...placed('p', 'c1'));
    const first = passOf(controller, world.hub.view, KEY, nowAt(START));
    const id = first?.stages[0]?.[0]?.id ?? '';
    const refused = outcomesOf([{ id, reason: 'Forbidden', message: 'namespace c1 is being terminated' }]);
    const again = passOf(controller, world.hub.view, KEY, nowAt(START), refused);
    expect(again && briefly(again)).toEqual([
      expect.stringMatching(/^create ManifestWork c1/),
      'patch ManifestWorkReplicaSet/status apps/web',
    ]);
    for (const action of again?.stages[0]?.slice(1) ?? []) world.hub.perform(action);
    expect(findCondition(world.set().status?.conditions, 'ManifestworkApplied')?.message).toContain('is being terminated');
  });

  it('creates no work if its name is too long for a label', () => {
    const long = { ...KEY, name: 'x'.repeat(60) };
    const hub = new ObjectHub(controller, [replicaSet({}, { name: long.name }), ...placed('p', 'c1')]);
    settle(controller, hub, long, { now: START });
    expect(hub.list(manifestWorks)).toEqual([]);
    const { status } = hub.find(manifestWorkReplicaSets, long) ?? {};
    expect(findCondition(status?.conditions, 'ManifestworkApplied')?.reason).toBe('InvalidManifestWorkName');
  });

  it('writes its status at most once in a second', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1'));
    world.settle();
    world.report('c1', ROLLED_OUT);
    const justWritten = outcomesOf([], [], { status: 5_000 });
    const pass = passOf(controller, world.hub.view, KEY, nowAt(START, 5_400), justWritten);
    expect([pass && briefly(pass), pass?.requeueAfterMs]).toEqual([[], 600]);
  });
});

describe('replica sets: deletion', () => {
  const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };

  it('deletes its works, then itself', () => {
    const world = new World(replicaSet(), ...placed('p', 'c1', 'c2'));
    world.settle();
    world.change({}, deleting);
    world.settle();
    expect([world.works(), world.hub.list(manifestWorkReplicaSets)]).toEqual([[], []]);
  });

  it.each([
    { policy: 'Background', remains: 0 },
    { policy: 'Foreground', remains: 1 },
  ] as const)('with $policy, $remains sets remain while a work is being deleted', ({ policy, remains }) => {
    const world = new World(replicaSet({ cascadeDeletionPolicy: policy }), ...placed('p', 'c1'));
    world.settle();
    const [work] = world.works() as [ManifestWork];
    world.hub.put({ ...work, metadata: { ...work.metadata, finalizers: ['agent'] } });
    world.change({}, deleting);
    world.settle();
    expect(world.works()[0]?.metadata.deletionTimestamp).toBeDefined();
    expect(world.hub.list(manifestWorkReplicaSets)).toHaveLength(remains);
    world.hub.remove(manifestWorks, { namespace: 'c1', name: work.metadata.name ?? '' });
    world.settle();
    expect(world.hub.list(manifestWorkReplicaSets)).toEqual([]);
  });
});
