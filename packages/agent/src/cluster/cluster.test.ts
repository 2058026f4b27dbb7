import type { ManagedClusterStatus } from '@outrigger/api';
import { mergePatch, type JsonObject } from '@outrigger/core';
import { briefly, nowAt } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import type { ClaimProjection } from '../resources/claims.js';
import type { NodeProjection } from '../resources/nodes.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import { DEFAULT_CLAIM_LIMITS, exposedClaims } from './claims.js';
import { type ClusterState, decide } from './decide.js';
import { type ProbeResult, isVersionDue, recordProbe } from './probe.js';
import { sumNodes } from './resources-sum.js';

const identity = { uid: 'u', resourceVersion: '1' };
const claim = (name: string, value = 'v', isPrivate = false): ClaimProjection => ({ ...identity, key: { name }, value, isPrivate });
const node = (isSchedulable: boolean, cpu: string, memory: string): NodeProjection => ({
  ...identity,
  key: { name: 'n' },
  isSchedulable,
  capacity: { cpu, memory },
  allocatable: { cpu, memory },
});

describe('claims', () => {
  it('reports all reserved claims first, then others up to the limit, each sorted by name', () => {
    const claims = [
      claim('z'),
      claim('product.open-cluster-management.io'),
      claim('a'),
      claim('id.k8s.io'),
      claim('b'),
      claim('x.reserved.example'),
    ];
    const limits = { maxCustom: 2, reservedSuffixes: ['.reserved.example'] };
    expect(exposedClaims({ claims, properties: [] }, limits).map(({ name }) => name)).toEqual([
      'id.k8s.io',
      'product.open-cluster-management.io',
      'x.reserved.example',
      'a',
      'b',
    ]);
  });

  it('does not report private or empty claims', () => {
    expect(exposedClaims({ claims: [claim('a', 'v', true), claim('b', '')], properties: [] }, DEFAULT_CLAIM_LIMITS)).toEqual([]);
  });

  it('reports a property instead of a claim of the same name, unless the property is private', () => {
    const claims = [claim('a', 'of a claim'), claim('b', 'of a claim'), claim('c', 'of a claim')];
    const properties = [claim('d', 'of a property'), claim('b', 'of a property'), claim('c', 'of a property', true)];
    expect(exposedClaims({ claims, properties }, DEFAULT_CLAIM_LIMITS)).toEqual([
      { name: 'a', value: 'of a claim' },
      { name: 'b', value: 'of a property' },
      { name: 'c', value: 'of a claim' },
      { name: 'd', value: 'of a property' },
    ]);
  });
});

describe('resources', () => {
  it('adds up the capacity of all nodes, and the allocatable resources of schedulable nodes', () => {
    expect(sumNodes([node(true, '1500m', '1Gi'), node(false, '2', '512Mi')])).toEqual({
      capacity: { cpu: '3500m', memory: '1536Mi' },
      allocatable: { cpu: '1500m', memory: '1Gi' },
    });
  });
});

const NOW = nowAt(1_767_225_600_000, 100_000);
const condition = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: 'r',
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const ACCEPTED = condition('HubAcceptedManagedCluster', 'True');

function cluster(status: ManagedClusterStatus): OwnClusterProjection {
  return { ...identity, key: { name: 'c1' }, generation: 1, isDeleting: false, leaseDurationSeconds: 60, status };
}

const healthy: ProbeResult = { isHealthy: true, code: 200, detail: '', version: 'v1.33.1' };
const broken: ProbeResult = { isHealthy: false, code: 500, detail: 'etcd is gone', version: undefined };

function state(
  result: ProbeResult | undefined,
  changes: { failingSince?: number; askedAt?: number; status?: ManagedClusterStatus } = {},
): ClusterState {
  const { failingSince, askedAt = 100_000, status = { conditions: [ACCEPTED] } } = changes;
  return {
    cluster: cluster(status),
    lastProbe: result && { result, askedAt, failingSince, versionAt: 0 },
    facts: { capacity: { cpu: '2' }, allocatable: { cpu: '1' }, claims: [{ name: 'id.k8s.io', value: 'x' }], missingKinds: [] },
  };
}

function reported(given: ClusterState): ManagedClusterStatus {
  const [action] = decide(given, NOW).stages.flat();
  if (action?.type !== 'patch') return given.cluster.status;
  return mergePatch(given.cluster.status as unknown as JsonObject, action.patch['status'] as JsonObject) as ManagedClusterStatus;
}

describe('cluster: decide', () => {
  const cases: { name: string; state: ClusterState; want: readonly string[] }[] = [
    { name: 'asks the API server first', state: state(undefined), want: ['effect probe probe'] },
    { name: 'reports the facts of the cluster', state: state(healthy), want: ['patch ManagedCluster/status c1'] },
    { name: 'reports nothing before the cluster is accepted', state: state(healthy, { status: {} }), want: [] },
    { name: 'asks again after a minute', state: state(healthy, { askedAt: 40_000 }), want: ['effect probe probe'] },
    {
      name: 'asks a failing one again after 5 s',
      state: state(broken, { askedAt: 95_000, failingSince: 95_000 }),
      want: ['effect probe probe'],
    },
    { name: 'keeps a failure of less than 20 s to itself', state: state(broken, { failingSince: 80_001 }), want: [] },
    { name: 'reports one of 20 s', state: state(broken, { failingSince: 80_000 }), want: ['patch ManagedCluster/status c1'] },
    {
      name: 'writes nothing while its clock is off',
      state: state(healthy, { status: { conditions: [ACCEPTED, condition('ManagedClusterConditionClockSynced', 'False')] } }),
      want: [],
    },
  ];
  it.each(cases)('$name', ({ state: given, want }) => expect(briefly(decide(given, NOW))).toEqual(want));

  it('reports version, sums and claims, and keeps the fields of other writers', () => {
    const status = reported(state(healthy, { status: { conditions: [ACCEPTED], capacity: { sockets: '4', cpu: '1' } } }));
    expect(status).toMatchObject({
      version: { kubernetes: 'v1.33.1' },
      capacity: { sockets: '4', cpu: '2' },
      allocatable: { cpu: '1' },
      clusterClaims: [{ name: 'id.k8s.io', value: 'x' }],
    });
    expect(status.conditions?.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`)).toEqual([
      'HubAcceptedManagedCluster True r',
      'ManagedClusterJoined True ManagedClusterJoined',
      'ManagedClusterConditionAvailable True ManagedClusterAvailable',
    ]);
  });

  it('reports the answer of a failing API server, and nothing about nodes that it cannot read', () => {
    const status = reported(state(broken, { failingSince: 0, status: { conditions: [ACCEPTED], capacity: { cpu: '9' } } }));
    expect(status.capacity).toEqual({ cpu: '9' });
    expect(status.conditions?.at(-1)).toMatchObject({
      status: 'False',
      reason: 'ManagedClusterKubeAPIServerUnavailable',
      message: 'The kube-apiserver is not ok, status code: 500, etcd is gone',
    });
  });

  it('writes an Event in its own namespace only when the cluster becomes available or unavailable', () => {
    const events = (given: ClusterState): readonly string[] =>
      (decide(given, NOW).events ?? []).map(({ regarding: { key }, type, reason }) => `${type} ${reason} in ${key.namespace}`);
    const statusWith = (result: ProbeResult): ManagedClusterStatus => reported(state(result, { failingSince: 0 }));
    expect(events(state(healthy))).toEqual(['Normal Available in c1']);
    expect(events(state(broken, { failingSince: 0, status: statusWith(healthy) }))).toEqual(['Warning Unavailable in c1']);
    expect(events(state(healthy, { status: statusWith(broken) }))).toEqual(['Normal Available in c1']);
    const more = { ...statusWith(healthy), clusterClaims: [] };
    expect(events(state(healthy, { status: more }))).toEqual([]);
  });

  it('writes nothing once the status is up to date', () => {
    expect(decide(state(healthy, { status: reported(state(healthy)) }), NOW).stages).toEqual([]);
  });
});

describe('the answer of the API server', () => {
  it('remembers since when it fails, and the version it had', () => {
    const last = recordProbe(recordProbe(recordProbe(undefined, healthy, 1), broken, 2), broken, 3);
    expect(last).toEqual({ result: { ...broken, version: 'v1.33.1' }, askedAt: 3, failingSince: 2, versionAt: 1 });
    expect(recordProbe(last, healthy, 4).failingSince).toBeUndefined();
  });

  it('asks for the version at first, after a failure, and every ten minutes', () => {
    expect(isVersionDue(undefined, 0)).toBe(true);
    const first = recordProbe(undefined, healthy, 1_000);
    expect(isVersionDue(first, 61_000)).toBe(false);
    const second = recordProbe(first, { ...healthy, version: undefined }, 61_000);
    expect(second.result.version).toBe('v1.33.1');
    expect(isVersionDue(second, 601_000)).toBe(true);
    expect(isVersionDue(recordProbe(second, broken, 120_000), 121_000)).toBe(true);
  });
});
