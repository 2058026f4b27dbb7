import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { apiVersionOf } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { addOn, cluster, installed, rollout } from '../../../rules/src/why/fixtures.js';
import type { Definition } from '../install/definitions/definition.js';
import { type Patient, examine } from './checks.js';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const lease = (renewTime: string): NonNullable<Patient['lease']> => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'outrigger-hub' },
  spec: { holderIdentity: 'pod-1_abc', renewTime, leaseDurationSeconds: 15 },
});
const DEFINITIONS = KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind, 'in-process') as unknown as Definition);
const withoutField = DEFINITIONS.map(
  (definition) => JSON.parse(JSON.stringify(definition).replaceAll('"installVersion":{', '"gone":{')) as Definition,
);
const servedButV1beta1 = (): ReadonlySet<string> =>
  new Set([...well.served].filter((one) => !/v1beta1 (ClusterManagementAddOn|ManagedClusterAddOn)$/.test(one)));
const well: Patient = {
  served: new Set(
    KIND_DEFINITIONS.flatMap(({ group, kind, versions }) => versions.map(({ version }) => `${apiVersionOf({ group, version })} ${kind}`)),
  ),
  definitions: DEFINITIONS,
  roundTrips: [{ kind: 'ClusterManagementAddOn', lost: [] }],
  lease: lease('2026-01-01T00:00:55.000000Z'),
  upstream: {},
  admission: 'answers',
  addOns: [addOn('hello')],
  installed: [installed('hello', 'c1', 'Available True WorkApplied x')],
  clusters: [cluster('c1', {}, ['ManagedClusterConditionAvailable True ManagedClusterAvailable x'])],
  rollouts: [rollout('hello', {}, { state: 'Completed' })],
  nowMs: NOW,
};

describe('doctor', () => {
  it('finds nothing where all is well', () => expect(examine(well).filter(({ state }) => state !== 'ok')).toEqual([]));

  it.each<{ name: string; with: Partial<Patient>; check: string; state: string; says: RegExp }>([
    { name: 'kinds nobody serves', with: { served: new Set() }, check: 'kinds', state: 'problem', says: /ClusterManagementAddOn/ },
    {
      name: 'a version that is not served though a webhook converts to it',
      with: { served: servedButV1beta1() },
      check: 'kinds',
      state: 'problem',
      says: /ClusterManagementAddOn v1beta1, ManagedClusterAddOn v1beta1/,
    },
    {
      name: 'a version that is not served and that no program misses',
      with: { served: servedButV1beta1(), definitions: KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind) as never) },
      check: 'kinds',
      state: 'warning',
      says: /but not in these versions/,
    },
    {
      name: 'definitions that another program has put back',
      with: { definitions: withoutField },
      check: 'fields',
      state: 'problem',
      says: /ManagedClusterAddOn v1alpha1 spec\.installVersion.*off: versions/,
    },
    {
      name: 'a webhook that does not convert our fields',
      with: { roundTrips: [{ kind: 'ClusterManagementAddOn', lost: ['spec.dependencies'] }] },
      check: 'fields',
      state: 'problem',
      says: /ClusterManagementAddOn spec\.dependencies/,
    },
    {
      name: 'a conversion that could not be tried',
      with: { roundTrips: [{ kind: 'ClusterManagementAddOn', lost: [], failure: 'refused' }] },
      check: 'fields',
      state: 'warning',
      says: /refused/,
    },
    {
      name: 'a manager that stopped',
      with: { lease: lease('2026-01-01T00:00:00.000000Z') },
      check: 'manager',
      state: 'problem',
      says: /1m ago/,
    },
    { name: 'no manager to be seen', with: { lease: undefined }, check: 'manager', state: 'warning', says: /or none/ },
    { name: 'upstream beside us', with: { upstream: { addOnManager: 'ns/x' } }, check: 'other managers', state: 'warning', says: /ns\/x/ },
    {
      name: 'AT-17 AT-50 a hub without admission',
      with: { admission: 'silent' },
      check: 'admission',
      state: 'warning',
      says: /labels of its ManagedCluster.*--cluster-signing-duration/,
    },
    {
      name: 'a cluster that is away',
      with: { clusters: [cluster('c1', {}, ['ManagedClusterConditionAvailable Unknown X y'])] },
      check: 'clusters',
      state: 'problem',
      says: /1 of 1/,
    },
    {
      name: 'an agent that cannot read a kind',
      with: {
        clusters: [
          cluster('c1', {}, [
            'ManagedClusterConditionAvailable True ManagedClusterAvailable x',
            'AgentKindsReadable False KindsMissing appliedmanifestworks',
          ]),
        ],
      },
      check: 'clusters',
      state: 'problem',
      says: /c1: appliedmanifestworks/,
    },
    {
      name: 'an add-on that is not well',
      with: { installed: [installed('hello', 'c1', 'Available False ProbeUnavailable x')] },
      check: 'add-ons',
      state: 'problem',
      says: /hello on c1/,
    },
    {
      name: 'a halted rollout',
      with: { rollouts: [rollout('hello', {}, { state: 'Halted' })] },
      check: 'rollouts',
      state: 'problem',
      says: /hello/,
    },
    {
      name: 'a rollout held back',
      with: { rollouts: [rollout('hello', { paused: true }, {})] },
      check: 'rollouts',
      state: 'warning',
      says: /hello/,
    },
  ])('finds $name', ({ with: change, check, state, says }) => {
    const found = examine({ ...well, ...change }).find((finding) => finding.check === check);
    expect(found).toMatchObject({ state });
    expect(found?.text).toMatch(says);
  });
});
