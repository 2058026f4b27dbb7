import { CLUSTER_SET_LABEL, type Placement, type PlacementSpec, managedClusters, placementDecisions, placements } from '@outrigger/api';
import { type KubeObject, findCondition } from '@outrigger/core';
import { brief, briefly, nowAt, outcomesOf, passOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ObjectHub, settle } from '../../../testing/settle.js';
import { placementController } from './controller.js';
import { NAMESPACE, binding, cluster, clusterSet, everything, fleet, page, placement, score } from './fixtures.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const KEY = { namespace: NAMESPACE, name: 'p' };
const controller = placementController();

const hubWith = (...objects: readonly KubeObject[]): ObjectHub => new ObjectHub(controller, objects);

/** The status and the PlacementDecisions of the Placement after the controller has settled. */
function outcome(hub: ObjectHub): {
  readonly pages: Readonly<Record<string, string>>;
  readonly selected: number | undefined;
  readonly satisfied: string;
  readonly misconfigured: string;
} {
  const { status = {} } = hub.find(placements, KEY) as Placement;
  const told = (type: string): string => {
    const { status: value = '', reason = '', message = '' } = findCondition(status.conditions, type) ?? {};
    return `${value} ${reason}: ${message}`;
  };
  const pages = hub
    .list(placementDecisions)
    .map(({ metadata, status: decided }) => [metadata.name, (decided?.decisions ?? []).map(({ clusterName }) => clusterName).join(' ')]);
  return {
    pages: Object.fromEntries(pages) as Record<string, string>,
    selected: status.numberOfSelectedClusters,
    satisfied: told('PlacementSatisfied'),
    misconfigured: told('PlacementMisconfigured'),
  };
}

const PASS = 'False Succeedconfigured: Placement configurations check pass';
const ALL = 'True AllDecisionsScheduled: All cluster decisions scheduled';

describe('placement: the selected clusters', () => {
  const blue = (name: string): KubeObject => cluster(name, { [CLUSTER_SET_LABEL]: 'blue' });
  const cases: readonly {
    name: string;
    spec?: PlacementSpec;
    objects: readonly KubeObject[];
    pages: Readonly<Record<string, string>>;
    satisfied: string;
  }[] = [
    {
      name: 'no set is bound',
      objects: [...fleet(2)],
      pages: { 'p-decision-1': '' },
      satisfied: 'False NoManagedClusterSetBindings: No valid ManagedClusterSetBindings found in placement namespace',
    },
    {
      name: 'the bound set does not exist',
      objects: [...fleet(2), binding('blue')],
      pages: { 'p-decision-1': '' },
      satisfied: 'False NoManagedClusterSetBindings: No valid ManagedClusterSetBindings found in placement namespace',
    },
    {
      name: 'a set bound in another namespace does not count',
      objects: [...fleet(2), clusterSet('blue'), binding('blue', 'other')],
      pages: { 'p-decision-1': '' },
      satisfied: 'False NoManagedClusterSetBindings: No valid ManagedClusterSetBindings found in placement namespace',
    },
    {
      name: 'the Placement names other sets than are bound',
      spec: { clusterSets: ['red', 'green'] },
      objects: [...everything, ...fleet(2)],
      pages: { 'p-decision-1': '' },
      satisfied: 'False NoIntersection: None of ManagedClusterSets [red,green] is bound to placement namespace',
    },
    {
      name: 'the sets are empty',
      objects: [clusterSet('blue'), binding('blue'), clusterSet('red'), binding('red'), ...fleet(2)],
      pages: { 'p-decision-1': '' },
      satisfied: 'False AllManagedClusterSetsEmpty: All ManagedClusterSets [blue,red] have no member ManagedCluster',
    },
    {
      name: 'no cluster fits',
      spec: { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env: 'none' } } } }] },
      objects: [...everything, ...fleet(2)],
      pages: { 'p-decision-1': '' },
      satisfied: 'False NoManagedClusterMatched: No ManagedCluster matches any of the cluster predicate',
    },
    {
      name: 'all clusters of all bound sets',
      objects: [...everything, clusterSet('blue'), binding('blue'), ...fleet(2), blue('x')],
      pages: { 'p-decision-1': 'c000 c001 x' },
      satisfied: ALL,
    },
    {
      name: 'only clusters of the named sets',
      spec: { clusterSets: ['blue'] },
      objects: [...everything, clusterSet('blue'), binding('blue'), ...fleet(2), blue('x')],
      pages: { 'p-decision-1': 'x' },
      satisfied: ALL,
    },
    {
      name: 'clusters that are being deleted are not chosen',
      objects: [...everything, ...fleet(2), { ...cluster('x'), metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
      pages: { 'p-decision-1': 'c000 c001' },
      satisfied: ALL,
    },
    {
      name: 'more clusters are requested than exist',
      spec: { numberOfClusters: 5 },
      objects: [...everything, ...fleet(2)],
      pages: { 'p-decision-1': 'c000 c001' },
      satisfied: 'False NotAllDecisionsScheduled: 3 cluster decisions unscheduled',
    },
    {
      name: 'fields that upstream accepts and ignores are accepted and ignored',
      spec: {
        sortBy: 'Score',
        scoreRateLimit: '1h',
        spreadPolicy: { spreadConstraints: [{ topologyKey: 'zone', topologyKeyType: 'Label', maxSkew: 1 }] },
        numberOfClusters: 1,
      },
      objects: [...everything, ...fleet(2)],
      pages: { 'p-decision-1': 'c000' },
      satisfied: ALL,
    },
  ];
  it.each(cases)('$name', ({ spec = {}, objects, pages, satisfied }) => {
    const hub = hubWith(placement(spec), ...objects);
    settle(controller, hub, KEY, { now: NOW });
    const selected = Object.values(pages).join(' ').split(' ').filter(Boolean).length;
    expect(outcome(hub)).toEqual({ pages, selected, satisfied, misconfigured: PASS });
  });

  it('reports groups with their pages, labels them, and owns them', () => {
    const decisionGroups = [{ groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { ring: 'canary' } } } }];
    const hub = hubWith(
      placement({ decisionStrategy: { groupStrategy: { decisionGroups } } }),
      ...everything,
      ...fleet(101),
      cluster('x', { ring: 'canary' }),
    );
    settle(controller, hub, KEY, { now: NOW });
    expect(hub.find(placements, KEY)?.status?.decisionGroups).toEqual([
      { decisionGroupIndex: 0, decisionGroupName: 'canary', decisions: ['p-decision-1'], clusterCount: 1 },
      { decisionGroupIndex: 1, decisionGroupName: '', decisions: ['p-decision-2', 'p-decision-3'], clusterCount: 101 },
    ]);
    expect(hub.find(placementDecisions, { namespace: NAMESPACE, name: 'p-decision-1' })?.metadata).toMatchObject({
      labels: {
        'cluster.open-cluster-management.io/placement': 'p',
        'cluster.open-cluster-management.io/decision-group-name': 'canary',
        'cluster.open-cluster-management.io/decision-group-index': '0',
      },
      ownerReferences: [
        {
          apiVersion: 'cluster.open-cluster-management.io/v1beta1',
          kind: 'Placement',
          name: 'p',
          uid: 'uid-p',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
  });
});

describe('placement: the steps of a change', () => {
  const passes = (hub: ObjectHub): readonly string[] =>
    settle(controller, hub, KEY, { now: NOW }).decisions.map((decision) => briefly(decision).join(', '));

  it('creates the page, fills it, and only then reports the number', () => {
    expect(passes(hubWith(placement(), ...everything, ...fleet(2)))).toEqual([
      'create PlacementDecision apps/p-decision-1',
      'patch PlacementDecision/status apps/p-decision-1',
      'patch Placement/status apps/p',
    ]);
  });

  const settled = (spec: PlacementSpec, ...objects: readonly KubeObject[]): ObjectHub => {
    const hub = hubWith(placement(spec), ...everything, ...objects);
    settle(controller, hub, KEY, { now: NOW });
    return hub;
  };

  /** The clusters that a reader of all PlacementDecisions sees before the first stage and after each stage. */
  function seenWhile(hub: ObjectHub): readonly (readonly string[])[] {
    const seen: (readonly string[])[] = [];
    const look = (): void =>
      void seen.push(hub.list(placementDecisions).flatMap(({ status }) => (status?.decisions ?? []).map(({ clusterName }) => clusterName)));
    look();
    settle(controller, hub, KEY, { now: NOW, afterStage: look });
    return seen;
  }

  it('a new first cluster moves through all pages without any cluster ever missing', () => {
    const hub = settled({}, ...fleet(300));
    hub.put(cluster('a'));
    const seen = seenWhile(hub);
    for (const shown of seen) expect(new Set(shown).size).toBeGreaterThanOrEqual(300);
    expect(outcome(hub).selected).toBe(301);
  });

  it('after a cluster leaves the others move up, and none of them is ever missing', () => {
    const hub = settled({}, ...fleet(201));
    hub.remove(managedClusters, { name: 'c000' });
    for (const shown of seenWhile(hub)) expect(new Set(shown).size).toBeGreaterThanOrEqual(200);
    expect(Object.keys(outcome(hub).pages)).toEqual(['p-decision-1', 'p-decision-2']);
  });

  it.each<{ name: string; spec: PlacementSpec; want: string }>([
    {
      name: 'a toleration that cannot be parsed',
      spec: { tolerations: [{ value: 'x' }] },
      want: 'TaintToleration:If the key is empty, operator must be Exists.',
    },
    {
      name: 'a group size that cannot be parsed',
      spec: { decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 'x%' } } },
      want: ':x% invalid type: string is not a percentage',
    },
    {
      name: 'an unknown prioritizer',
      spec: { prioritizerPolicy: { configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'X' } }] } },
      want: ':incorrect builtin prioritizer: X',
    },
  ])('AT-36 $name leaves every decision as it was and flips one condition', ({ spec, want }) => {
    const hub = settled({}, ...fleet(3));
    const before = outcome(hub);
    const { metadata, status = {} } = hub.find(placements, KEY) as Placement;
    hub.put(placement(spec, { metadata: { ...metadata, generation: 2 }, status }));
    expect(passes(hub)).toEqual(['patch Placement/status apps/p']);
    expect(outcome(hub)).toEqual({ ...before, misconfigured: `True Misconfigured: ${want}` });
  });

  it('a Placement that was never valid gets its condition first, then one empty decision', () => {
    const hub = hubWith(placement({ tolerations: [{ value: 'x' }] }), ...everything, ...fleet(3));
    expect(passes(hub)).toEqual(['patch Placement/status apps/p, ;, create PlacementDecision apps/p-decision-1']);
    expect(outcome(hub)).toMatchObject({
      pages: { 'p-decision-1': '' },
      selected: undefined,
      misconfigured: expect.stringMatching(/^True Misconfigured: TaintToleration:/) as string,
      satisfied: 'False NoManagedClusterMatched: No ManagedCluster matches any of the cluster predicate',
    });
  });

  it('AT-36 a page that cannot be written keeps the number as it was and reports why', () => {
    const hub = settled({}, ...fleet(3));
    hub.put(cluster('x'));
    const outcomes = outcomesOf([{ id: 'page/p-decision-1', reason: 'Forbidden', message: 'no way' }]);
    const decision = passOf(controller, hub.view, KEY, nowAt(NOW), outcomes);
    const patch = decision?.stages.flat().find((action) => brief(action) === 'patch Placement/status apps/p');
    expect(patch).toMatchObject({
      patch: {
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({
              reason: 'NotAllDecisionsScheduled',
              message: 'PlacementDecision p-decision-1 could not be written: no way',
            }),
          ]),
        },
      },
    });
    expect(patch && 'patch' in patch && patch.patch['status']).not.toHaveProperty('numberOfSelectedClusters');
  });

  it('AT-36 pages of a Placement that was deleted and created again are adopted, not emptied', () => {
    const hub = settled({}, ...fleet(3));
    hub.put({ ...placement(), metadata: { ...placement().metadata, uid: 'uid-again' } });
    expect(passes(hub)).toEqual(['patch PlacementDecision apps/p-decision-1', 'patch Placement/status apps/p']);
    expect(hub.list(placementDecisions)[0]?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(['uid-again']);
  });

  it('a page of that name that another client created is adopted', () => {
    const hub = hubWith(placement(), ...everything, ...fleet(1), page('p-decision-1', ['c000', 'gone']));
    settle(controller, hub, KEY, { now: NOW });
    expect(outcome(hub)).toMatchObject({ pages: { 'p-decision-1': 'c000' }, selected: 1 });
  });

  it('surplus pages under other names are deleted last', () => {
    const labels = { 'cluster.open-cluster-management.io/placement': 'p' };
    const hub = hubWith(placement(), ...everything, ...fleet(1), page('old', ['c000'], { labels }));
    expect(passes(hub)).toEqual([
      'create PlacementDecision apps/p-decision-1',
      'patch PlacementDecision/status apps/p-decision-1, ;, delete PlacementDecision apps/old',
      'patch Placement/status apps/p',
    ]);
  });

  it.each([
    { name: 'one that is being deleted', parts: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    {
      name: 'a Placement that another scheduler handles',
      parts: { annotations: { 'cluster.open-cluster-management.io/experimental-scheduling-disable': 'true' } },
    },
  ])('decides nothing for $name', ({ parts }) => {
    const { metadata } = placement();
    expect(passes(hubWith(placement({}, { metadata: { ...metadata, ...parts } }), ...everything, ...fleet(1)))).toEqual([]);
  });

  it('events report changes of pages, scores if there was a choice, and nothing once settled', () => {
    const hub = hubWith(placement({ numberOfClusters: 1 }), ...everything, ...fleet(2));
    const { decisions, rest } = settle(controller, hub, KEY, { now: NOW });
    expect(decisions.flatMap(({ events = [] }) => events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`))).toEqual([
      'Normal DecisionCreate: Decision p-decision-1 is created with placement p in namespace apps',
      'Normal DecisionUpdate: Decision p-decision-1 is updated with placement p in namespace apps',
      'Normal ScoreUpdate: c000:100 c001:100 ',
    ]);
    expect(rest).toEqual({ stages: [], events: [] });
  });

  it('waits until the first score expires, then chooses again', () => {
    const prioritizerPolicy = {
      mode: 'Exact' as const,
      configurations: [{ scoreCoordinate: { type: 'AddOn' as const, addOn: { resourceName: 'load', scoreName: 'score' } } }],
    };
    const hub = hubWith(
      placement({ numberOfClusters: 1, prioritizerPolicy }),
      ...everything,
      ...fleet(2),
      score('c001', 'load', 50, '2026-01-01T00:00:10Z'),
    );
    expect(settle(controller, hub, KEY, { now: NOW }).rest?.requeueAfterMs).toBe(10_001);
    expect(outcome(hub).pages).toEqual({ 'p-decision-1': 'c001' });
    const later = settle(controller, hub, KEY, { now: NOW + 10_001 });
    expect(outcome(hub).pages).toEqual({ 'p-decision-1': 'c000' });
    expect(later.decisions[0]?.events?.[0]).toMatchObject({
      type: 'Warning',
      reason: 'DecisionUpdate',
      message: expect.stringContaining(': AddOnPlacementScores c001/load expired in plugin AddOn/load/score') as string,
    });
    expect(later.rest?.requeueAfterMs).toBeUndefined();
  });
});
