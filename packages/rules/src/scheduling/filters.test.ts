import type { ClusterTaint, ClusterToleration, PlacementPredicate } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { NOW, candidate, chosen, misconfiguration, scheduleOf } from './fixtures.js';

const before = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString().replace('.000Z', 'Z');

describe('predicates', () => {
  const clusters = [
    candidate('a', { labels: { env: 'prod', zone: '1' }, claims: { 'id.k8s.io': 'a' } }),
    candidate('b', { labels: { env: 'test' }, claims: { region: 'eu' } }),
    candidate('c'),
  ];
  const choose = (...predicates: NonNullable<PlacementPredicate['requiredClusterSelector']>[]): readonly string[] =>
    chosen({ spec: { predicates: predicates.map((requiredClusterSelector) => ({ requiredClusterSelector })) }, clusters });
  const cel = (...celExpressions: string[]): { celSelector: { celExpressions: string[] } } => ({ celSelector: { celExpressions } });

  it.each([
    { name: 'no predicate: every cluster', predicates: [], want: ['a', 'b', 'c'] },
    { name: 'an empty one: every cluster', predicates: [{}], want: ['a', 'b', 'c'] },
    { name: 'labels', predicates: [{ labelSelector: { matchLabels: { env: 'prod' } } }], want: ['a'] },
    {
      name: 'labels that must be absent',
      predicates: [{ labelSelector: { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] } as const] } }],
      want: ['b', 'c'],
    },
    {
      name: 'claims',
      predicates: [{ claimSelector: { matchExpressions: [{ key: 'region', operator: 'Exists' } as const] } }],
      want: ['b'],
    },
    {
      name: 'parts of one are all needed',
      predicates: [
        {
          labelSelector: { matchLabels: { env: 'prod' } },
          claimSelector: { matchExpressions: [{ key: 'region', operator: 'Exists' } as const] },
        },
      ],
      want: [],
    },
    {
      name: 'one of several is enough',
      predicates: [
        { labelSelector: { matchLabels: { env: 'prod' } } },
        { claimSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['eu'] } as const] } },
      ],
      want: ['a', 'b'],
    },
    { name: 'an expression', predicates: [cel('managedCluster.metadata.name == "c"')], want: ['c'] },
    {
      name: 'expressions that must all hold',
      predicates: [cel('managedCluster.metadata.name != "c"', '"zone" in managedCluster.metadata.labels')],
      want: ['a'],
    },
    {
      name: 'an expression that fails on some selects the others',
      predicates: [cel('managedCluster.metadata.labels.env == "test"')],
      want: ['b'],
    },
    {
      name: 'an expression that costs too much selects nothing',
      predicates: [
        cel(
          '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f > 0))))))',
        ),
      ],
      want: [],
    },
  ])('$name', ({ predicates, want }) => expect(choose(...predicates)).toEqual(want));

  it('scores of an add-on can be required while they are valid', () => {
    const spec = {
      predicates: [{ requiredClusterSelector: cel('managedCluster.scores("load").exists(s, s.name == "cpu" && s.value > 50)') }],
    };
    const scores = [{ name: 'cpu', value: 60 }];
    const sheets = {
      'a/load': { scores, validUntil: NOW + 5000 },
      'b/load': { scores, validUntil: NOW - 1 },
      'c/other': { scores, validUntil: undefined },
    };
    expect(chosen({ spec, clusters, sheets })).toEqual(['a']);
    expect(scheduleOf({ spec, clusters, sheets })).toMatchObject({ recheckAt: NOW + 5001 });
    expect(chosen({ spec, clusters, sheets }, NOW + 5001)).toEqual([]);
  });

  it.each([
    {
      name: 'a malformed label selector',
      selector: { labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' } as const] } },
      want: /^Predicate:.*values set can't be empty/,
    },
    {
      name: 'a malformed claim selector',
      selector: { claimSelector: { matchExpressions: [{ key: '!', operator: 'Exists' } as const] } },
      want: /^Predicate:key: Invalid value/,
    },
    { name: 'an expression that does not compile', selector: cel('managedCluster.'), want: /^Predicate:/ },
    {
      name: 'an expression about something unknown',
      selector: cel('cluster.metadata.name == "a"'),
      want: /^Predicate:.*undeclared reference/,
    },
    { name: 'an expression without truth value', selector: cel('"a"'), want: /^Predicate:the expression must give a bool/ },
  ])('$name is a misconfiguration, with clusters or without', ({ selector, want }) => {
    const spec = { predicates: [{ requiredClusterSelector: selector }] };
    expect(misconfiguration({ spec, clusters })).toMatch(want);
    expect(misconfiguration({ spec, clusters: [] })).toMatch(want);
  });
});

describe('taints and tolerations', () => {
  const taint = (parts: Partial<ClusterTaint> = {}): ClusterTaint => ({
    key: 'gpu',
    value: 'yes',
    effect: 'NoSelect',
    timeAdded: before(60),
    ...parts,
  });
  const isChosen = (taints: readonly ClusterTaint[], tolerations: readonly ClusterToleration[], isSelected = false): boolean =>
    chosen({ spec: { tolerations }, clusters: [candidate('a', { taints })], selected: isSelected ? ['a'] : [] }).length === 1;

  it.each([
    { name: 'a taint excludes the cluster', taints: [taint()], tolerations: [], want: false },
    { name: 'PreferNoSelect never does', taints: [taint({ effect: 'PreferNoSelect' })], tolerations: [], want: true },
    {
      name: 'NoSelectIfNew excludes clusters that are not selected yet',
      taints: [taint({ effect: 'NoSelectIfNew' })],
      tolerations: [],
      want: false,
    },
    {
      name: 'NoSelectIfNew leaves those already chosen',
      taints: [taint({ effect: 'NoSelectIfNew' })],
      tolerations: [],
      isSelected: true,
      want: true,
    },
    {
      name: 'NoSelect also excludes clusters that are already selected',
      taints: [taint()],
      tolerations: [],
      isSelected: true,
      want: false,
    },
    { name: 'an equal toleration helps', taints: [taint()], tolerations: [{ key: 'gpu', value: 'yes' }], want: true },
    { name: 'one with another value does not', taints: [taint()], tolerations: [{ key: 'gpu', value: 'no' }], want: false },
    { name: 'Exists takes any value', taints: [taint()], tolerations: [{ key: 'gpu', operator: 'Exists' as const }], want: true },
    {
      name: 'Exists of another key does not help',
      taints: [taint()],
      tolerations: [{ key: 'cpu', operator: 'Exists' as const }],
      want: false,
    },
    {
      name: 'no key with Exists takes everything',
      taints: [taint(), taint({ key: 'x' })],
      tolerations: [{ operator: 'Exists' as const }],
      want: true,
    },
    {
      name: 'another effect does not help',
      taints: [taint()],
      tolerations: [{ key: 'gpu', value: 'yes', effect: 'NoSelectIfNew' as const }],
      want: false,
    },
    {
      name: 'the same effect helps',
      taints: [taint()],
      tolerations: [{ key: 'gpu', value: 'yes', effect: 'NoSelect' as const }],
      want: true,
    },
    {
      name: 'every taint must be tolerated',
      taints: [taint(), taint({ key: 'x' })],
      tolerations: [{ key: 'gpu', value: 'yes' }],
      want: false,
    },
    {
      name: 'the time is not up',
      taints: [taint()],
      tolerations: [{ key: 'gpu', operator: 'Exists' as const, tolerationSeconds: 61 }],
      want: true,
    },
    {
      name: 'the time is up at that very second',
      taints: [taint()],
      tolerations: [{ key: 'gpu', operator: 'Exists' as const, tolerationSeconds: 60 }],
      want: false,
    },
    {
      name: 'another toleration may still help',
      taints: [taint()],
      tolerations: [{ key: 'gpu', operator: 'Exists' as const, tolerationSeconds: 60 }, { operator: 'Exists' as const }],
      want: true,
    },
    {
      name: 'a taint of unknown age outlasts every time',
      taints: [{ key: 'gpu', effect: 'NoSelect' as const }],
      tolerations: [{ operator: 'Exists' as const, tolerationSeconds: 60 }],
      want: false,
    },
  ])('$name', ({ taints, tolerations, isSelected, want }) => expect(isChosen(taints, tolerations, isSelected)).toBe(want));

  it('requests a recheck when the first toleration ends', () => {
    const clusters = [candidate('a', { taints: [taint()] }), candidate('b', { taints: [taint({ timeAdded: before(10) })] })];
    const spec = { tolerations: [{ operator: 'Exists' as const, tolerationSeconds: 100 }] };
    expect(scheduleOf({ spec, clusters }).recheckAt).toBe(NOW + 40_000);
  });

  it.each([
    { toleration: { value: 'x' }, want: 'TaintToleration:If the key is empty, operator must be Exists.' },
    {
      toleration: { key: 'a', operator: 'Exists' as const, value: 'x' },
      want: 'TaintToleration:If the operator is Exists, the value should be empty.',
    },
  ])('$want', ({ toleration, want }) => expect(misconfiguration({ spec: { tolerations: [toleration] }, clusters: [] })).toBe(want));
});
