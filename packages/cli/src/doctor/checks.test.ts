import {
  CLUSTER_NAME_LABEL,
  FLEET_ROLLOUT,
  type CertificateSigningRequest,
  KIND_DEFINITIONS,
  UNREADABLE_KINDS_ANNOTATION,
  customResourceDefinition,
} from '@outrigger/api';
import { apiVersionOf } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { addOn, cluster, conditions, installed, rollout } from '../../../rules/src/why/fixtures.js';
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
const annotated = (sentences: readonly string[]): Patient['lease'] => {
  const held = lease('2026-01-01T00:00:55.000000Z');
  return { ...held, metadata: { ...held.metadata, annotations: { [UNREADABLE_KINDS_ANNOTATION]: JSON.stringify(sentences) } } };
};
const well: Patient = {
  served: new Set(
    KIND_DEFINITIONS.flatMap(({ group, kind, versions }) => versions.map(({ version }) => `${apiVersionOf({ group, version })} ${kind}`)),
  ),
  definitions: DEFINITIONS,
  roundTrips: [{ kind: 'ClusterManagementAddOn', lost: [] }],
  lease: lease('2026-01-01T00:00:55.000000Z'),
  upstream: {},
  admission: 'answers',
  managementAddOns: [addOn('hello')],
  installed: [installed('hello', 'c1', 'Available True WorkApplied x')],
  clusters: [cluster('c1', {}, ['ManagedClusterConditionAvailable True ManagedClusterAvailable x'])],
  rollouts: [rollout('hello', {}, { state: 'Completed' })],
  nowMs: NOW,
};

const request = (name: string, username: string): CertificateSigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name, labels: { [CLUSTER_NAME_LABEL]: 'edge1' } },
  spec: { username, request: '', signerName: '', usages: [] },
});
const withCertificate = (from: string, to: string) =>
  cluster('c1', {}, [
    'ManagedClusterConditionAvailable True ManagedClusterAvailable x',
    `ClusterCertificateRotated True ClientCertificateUpdated client certificate rotated starting from ${from} to ${to}`,
  ]);

describe('doctor', () => {
  it('checks nothing else on a server that is no hub', () =>
    expect(examine({ ...well, served: new Set(), isEmbedded: true }).map(({ check }) => check)).toEqual(['kinds']));
  it('finds nothing if all is well', () => expect(examine(well).filter(({ state }) => state !== 'ok')).toEqual([]));

  it.each<{ name: string; with: Partial<Patient>; check: string; state: string; says: RegExp }>([
    {
      name: 'kinds that are not served',
      with: { served: new Set([...well.served].filter((one) => !one.endsWith(' ClusterManagementAddOn'))) },
      check: 'kinds',
      state: 'problem',
      says: /^not served: ClusterManagementAddOn$/,
    },
    { name: 'a server that is no hub', with: { served: new Set() }, check: 'kinds', state: 'problem', says: /no hub.*--context/ },
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
      state: 'problem',
      says: /but not in these versions/,
    },
    {
      name: 'definitions that another program has restored',
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
      with: { roundTrips: [1, 2].map(() => ({ kind: 'ClusterManagementAddOn', lost: [], failure: 'refused' })) },
      check: 'fields',
      state: 'warning',
      says: /^the conversion to v1beta1 could not be tried: ClusterManagementAddOn: refused$/,
    },
    {
      name: 'a manager that stopped',
      with: { lease: lease('2026-01-01T00:00:00.000000Z') },
      check: 'manager',
      state: 'problem',
      says: /1m ago/,
    },
    {
      name: 'a manager that cannot read a kind',
      with: { lease: annotated(['addontemplates.addon.open-cluster-management.io cannot be read: forbidden (needed by: addon, fleet)']) },
      check: 'manager',
      state: 'problem',
      says: /controllers wait for kinds: addontemplates\S+ cannot be read: forbidden/,
    },
    { name: 'no manager to be seen', with: { lease: undefined }, check: 'manager', state: 'problem', says: /no manager leads/ },
    {
      name: 'nothing about the manager of `outrigger up`',
      with: { lease: undefined, isEmbedded: true },
      check: 'manager',
      state: 'ok',
      says: /up/,
    },
    {
      name: 'a webhook that does not answer',
      with: { admission: 'dead', webhookFailure: 'failed calling webhook "x": connection refused' },
      check: 'admission',
      state: 'problem',
      says: /connection refused/,
    },
    {
      name: 'a conversion webhook that does not answer',
      with: { roundTrips: [{ kind: 'ClusterManagementAddOn', lost: [], failure: 'conversion webhook for x failed' }] },
      check: 'fields',
      state: 'problem',
      says: /conversion webhook/,
    },
    {
      name: 'a cluster that waits to be accepted',
      with: { clusters: [{ ...cluster('edge1'), spec: { hubAcceptsClient: false } }] },
      check: 'approvals',
      state: 'problem',
      says: /edge1/,
    },
    {
      name: 'a certificate request that waits',
      with: { requests: [request('edge1-x', 'system:serviceaccount:a:b')] },
      check: 'approvals',
      state: 'problem',
      says: /edge1-x/,
    },
    {
      name: 'a certificate that was not renewed',
      with: { clusters: [withCertificate('2025-12-31T00:00:00Z', '2026-01-01T00:10:00Z')] },
      check: 'certificates',
      state: 'problem',
      says: /c1 \(ends in 9m\)/,
    },
    {
      name: 'a certificate that ended',
      with: { clusters: [withCertificate('2025-12-30T00:00:00Z', '2025-12-31T00:00:00Z')] },
      check: 'certificates',
      state: 'problem',
      says: /c1 \(ended\)/,
    },
    {
      name: 'nothing about a certificate in its first days',
      with: { clusters: [withCertificate('2025-12-31T20:00:00Z', '2026-01-01T20:00:00Z')] },
      check: 'certificates',
      state: 'ok',
      says: /none/,
    },
    {
      name: 'agents of another version',
      with: {
        version: '2.0.0',
        agentVersions: new Map([
          ['c1', '2.0.0'],
          ['c2', '1.0.0'],
        ]),
      },
      check: 'agents',
      state: 'problem',
      says: /1 of 2 .*c2 \(1\.0\.0\)/,
    },
    {
      name: 'a removal that waits',
      with: { rollouts: [rollout('hello', {}, { state: 'Completed', pendingRemoval: { count: 2, of: 2 } })] },
      check: 'declarations',
      state: 'problem',
      says: /hello/,
    },
    {
      name: 'content that cannot be stored',
      with: {
        managementAddOns: [
          { ...addOn('hello'), status: { conditions: conditions('TargetsResolved False ContentNotStored no namespace') } },
        ],
      },
      check: 'declarations',
      state: 'problem',
      says: /hello: no namespace/,
    },
    { name: 'upstream beside us', with: { upstream: { addOnManager: 'ns/x' } }, check: 'other managers', state: 'warning', says: /ns\/x/ },
    {
      name: 'AT-17 AT-50 a hub without admission',
      with: { admission: 'silent' },
      check: 'admission',
      state: 'warning',
      says: /labels of its ManagedCluster.*--cluster-signing-duration/,
    },
    {
      name: 'a cluster that is unreachable',
      with: { clusters: [cluster('c1', {}, ['ManagedClusterJoined True X y', 'ManagedClusterConditionAvailable Unknown X y'])] },
      check: 'clusters',
      state: 'problem',
      says: /1 of 1/,
    },
    {
      name: 'a cluster whose namespace is being deleted',
      with: {
        clusters: [
          cluster('c1', {}, [
            'ManagedClusterConditionAvailable True ManagedClusterAvailable x',
            'HubAcceptedManagedCluster False Error the namespace c1 is being deleted and waits for manifestworks w',
          ]),
        ],
      },
      check: 'clusters',
      state: 'problem',
      says: /^c1: the namespace c1 is being deleted and waits for manifestworks w$/,
    },
    {
      name: 'an accepted cluster that the hub cannot prepare, beside one that is away',
      with: {
        clusters: [
          cluster('c1', {}, ['ManagedClusterJoined True X y', 'ManagedClusterConditionAvailable Unknown X y']),
          cluster('c2', {}, ['ManagedClusterConditionAvailable True X y', 'HubAcceptedManagedCluster False Error roles/x: no way']),
        ],
      },
      check: 'clusters',
      state: 'problem',
      says: /c2: roles\/x: no way; 1 of 2 are not available: c1$/,
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
      name: 'a rollout that was halted before all rollouts were paused',
      with: {
        rollouts: [
          rollout(FLEET_ROLLOUT, { paused: true }, {}),
          rollout(
            'hello',
            {},
            {
              state: 'Paused',
              entries: [
                {
                  name: 'labelSelector',
                  state: 'Paused',
                  failed: 1,
                  targetRevision: 2,
                  timeline: [{ at: '2026-01-01T00:00:00Z', to: 2, outcome: 'Halted' }],
                },
              ],
            },
          ),
        ],
      },
      check: 'rollouts',
      state: 'problem',
      says: /halted: hello; all rollouts of the fleet are paused/,
    },
    {
      name: 'a cluster that never joined, and one that is unreachable',
      with: {
        clusters: [cluster('new'), cluster('c1', {}, ['ManagedClusterJoined True X y', 'ManagedClusterConditionAvailable Unknown X y'])],
      },
      check: 'clusters',
      state: 'problem',
      says: /^1 of 2 are not available: c1; no agent has joined as new$/,
    },
    {
      name: 'a cluster that never joined, for which the hub has waited for five minutes',
      with: { clusters: [cluster('new', {}, ['ManagedClusterConditionAvailable Unknown ManagedClusterLeaseUpdateStopped y'])] },
      check: 'clusters',
      state: 'problem',
      says: /^no agent has joined as new$/,
    },
    {
      name: 'a cluster that leaves the fleet, and no way to join as it',
      with: {
        clusters: [
          ...well.clusters,
          { ...cluster('old'), metadata: { name: 'old', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/x'] } },
        ],
      },
      check: 'clusters',
      state: 'warning',
      says: /^1, all accepted ones available; leaving the fleet: old$/,
    },
    {
      name: 'a rollout that is paused or pinned',
      with: { rollouts: [rollout('hello', { paused: true }, {})] },
      check: 'rollouts',
      state: 'warning',
      says: /hello/,
    },
  ])('finds $name', ({ with: change, check, state, says }) => {
    const found = examine({ ...well, ...change }).find((finding) => finding.check === check);
    expect(found).toMatchObject({ state });
    expect(found?.text).toMatch(says);
    if (state === 'problem') expect(found?.hint).toMatch(/^(outrigger|kubectl|docs\/|install the kind)/);
  });

  it.each([
    { name: 'waits for its rollout', reported: ['Configured False ConfigurationsNotConfigured x'], minutes: 60, state: 'ok' },
    { name: 'began to install', reported: ['Configured True C x', 'Progressing True Installing x'], minutes: 1, state: 'ok' },
    {
      name: 'has installed for too long',
      reported: ['Configured True C x', 'Progressing True Installing x'],
      minutes: 60,
      state: 'problem',
    },
    { name: 'failed', reported: ['Configured True C x', 'Progressing False Failed x'], minutes: 1, state: 'problem' },
    { name: 'cannot be configured', reported: ['Configured False ConfigurationNotFound x'], minutes: 1, state: 'problem' },
    {
      name: 'runs what it had, and cannot be configured again',
      reported: ['Configured False ConfigurationNotFound x', 'Progressing False Succeed x', 'Available True ProbeAvailable x'],
      minutes: 60,
      state: 'problem',
    },
    { name: 'has reported nothing', reported: [], minutes: 1, state: 'problem' },
    {
      name: 'waits for its rollout while the version before is broken',
      reported: ['Configured False ConfigurationsNotConfigured x', 'Available False ProbeUnavailable x'],
      minutes: 1,
      state: 'problem',
    },
  ])('an add-on that $name is $state', ({ reported, minutes, state }) => {
    const since = Date.parse('2026-01-01T00:00:00Z');
    const patient = { ...well, nowMs: since + minutes * 60_000, installed: [...well.installed, installed('late', 'c2', ...reported)] };
    expect(examine(patient).find(({ check }) => check === 'add-ons')).toMatchObject({ state });
  });
});
