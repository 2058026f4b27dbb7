import type { InstallStrategy, ManagedCluster } from '@outrigger/api';
import { type LabelSelector, nameOf } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { membershipOf } from '../strategy/membership.js';
import { addOn, c1, type Case, check, cluster, decision, placement } from './fixtures.js';
import { explainSelection } from './selection.js';
import { EMPTY, type Snapshot, snapshotLookups } from './snapshot.js';

const KEYS = ['env', 'region'];
const VALUES = ['prod', 'dev'];
const NAMES = ['one', 'two'];

const labels = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 2 });
const expression = fc.record({
  key: fc.constantFrom(...KEYS),
  operator: fc.constantFrom('In' as const, 'NotIn' as const, 'Exists' as const, 'DoesNotExist' as const, 'Wrong' as 'In'),
  values: fc.subarray(VALUES, { minLength: 1 }),
});
const labelSelector: fc.Arbitrary<LabelSelector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) },
  { requiredKeys: [] },
);
/** Any combination of the fields of all types, regardless of `type`. */
const installStrategy: fc.Arbitrary<InstallStrategy> = fc.record(
  {
    type: fc.constantFrom('Manual' as const, 'Placements' as const, 'ClusterLabelSelector' as const),
    placements: fc.array(
      fc.constantFrom(...NAMES).map((name) => ({ namespace: 'default', name })),
      { maxLength: 2 },
    ),
    labelSelector,
  },
  { requiredKeys: [] },
);
const managedCluster: fc.Arbitrary<ManagedCluster> = fc
  .record({ own: labels, isAccepted: fc.boolean(), isDeleting: fc.boolean() })
  .map(({ own, isAccepted, isDeleting }) => {
    const made = cluster('c1', own);
    const deletion = isDeleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
    return { ...made, metadata: { ...made.metadata, ...deletion }, spec: { hubAcceptsClient: isAccepted } };
  });
const snapshot: fc.Arbitrary<Snapshot> = fc
  .record({
    one: managedCluster,
    existing: fc.subarray(NAMES),
    decided: fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.subarray(['c1', 'c2']))),
  })
  .map(({ one, existing, decided }) => ({
    ...EMPTY,
    clusters: [one],
    placements: existing.map((name) => placement('default', name)),
    decisions: decided.map(([name, chosen]) => decision('default', name, chosen)),
  }));

describe('the selection that why explains', () => {
  it('is the selection of the install strategy', () => {
    fc.assert(
      fc.property(snapshot, installStrategy, (objects, strategy) => {
        const [c1] = objects.clusters;
        if (!c1) return;
        // The PlacementDecisions of a Placement that was deleted select no cluster.
        const existing = new Set(objects.placements.map(nameOf));
        const placements = (strategy.placements ?? []).filter(({ name }) => existing.has(name));
        const { spec } = addOn('hello', { ...strategy, placements });
        const { entry } = membershipOf(snapshotLookups(objects), spec, 'c1', undefined);
        expect(explainSelection(objects, addOn('hello', strategy), c1).isSelected).toBe(entry.source !== undefined);
      }),
      { numRuns: 2000 },
    );
  });

  it('is empty for a strategy ClusterLabelSelector without a labelSelector', () => {
    const c1 = cluster('c1', { env: 'prod' });
    const { isSelected, links } = explainSelection({ ...EMPTY, clusters: [c1] }, addOn('hello', { type: 'ClusterLabelSelector' }), c1);
    expect(isSelected).toBe(false);
    expect(links).toEqual([
      {
        type: 'stop',
        text: 'strategy ClusterLabelSelector has no labelSelector, so it selects no cluster',
        hint: 'set spec.installStrategy.labelSelector; {} selects every cluster',
      },
    ]);
  });
});

const placed = (...names: string[]) => ({ type: 'Placements' as const, placements: names.map((name) => ({ namespace: 'default', name })) });

const cases: readonly Case[] = [
  {
    name: 'labels that do not match, with their values',
    given: {
      managementAddOns: [addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } })],
      clusters: [c1],
    },
    verdict: 'absent',
    cause: /env must be "dev", it is "prod"/,
  },
  {
    name: 'an expression that does not match because the label is absent',
    given: {
      managementAddOns: [
        addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] } }),
      ],
      clusters: [c1],
    },
    verdict: 'absent',
    cause: /gpu Exists, it is not set/,
    hint: /^kubectl label managedcluster c1 gpu=$/,
  },
  {
    name: 'a Placement that does not exist',
    given: { managementAddOns: [addOn('hello', placed('p'))], clusters: [c1] },
    verdict: 'absent',
    cause: /Placement default\/p is not found/,
  },
  {
    name: 'a Placement that has not decided',
    given: { managementAddOns: [addOn('hello', placed('p'))], clusters: [c1], placements: [placement('default', 'p')] },
    verdict: 'absent',
    cause: /has no decision yet/,
  },
  {
    name: 'a Placement whose first decision is not written yet',
    given: {
      managementAddOns: [addOn('hello', placed('p'))],
      clusters: [c1],
      placements: [placement('default', 'p')],
      decisions: [{ ...decision('default', 'p', []), status: undefined } as never],
    },
    verdict: 'absent',
    cause: /has no decision yet/,
  },
  {
    name: 'a Placement that chose others',
    given: {
      managementAddOns: [addOn('hello', placed('p'))],
      clusters: [c1],
      placements: [placement('default', 'p')],
      decisions: [decision('default', 'p', ['c2'])],
    },
    verdict: 'absent',
    cause: /does not select cluster c1 \(it selects 1\)/,
  },
  {
    name: 'a cluster that wants no automatic installation',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [
        { ...c1, metadata: { ...c1.metadata, annotations: { 'addon.open-cluster-management.io/disable-automatic-installation': 'true' } } },
      ],
    },
    verdict: 'absent',
    cause: /takes no automatic installations/,
    hint: /kubectl annotate managedcluster c1/,
  },
  {
    name: 'selected, but not created yet',
    given: { managementAddOns: [addOn('hello')], clusters: [c1] },
    verdict: 'waiting',
    cause: /about to be created/,
    hint: /doctor/,
  },
  {
    name: 'strategy Manual, and not installed',
    given: { managementAddOns: [addOn('hello', { type: 'Manual' })], clusters: [c1] },
    verdict: 'absent',
    cause: /strategy Manual/,
    hint: /^outrigger enable hello --cluster c1$/,
  },
];

describe('why: the selection', () => {
  it.each(cases)('$name', check);
});
