import type { AddOnRolloutStatus, ManagedClusterAddOn, RolloutEntry, RolloutTarget } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { projectAddOn } from '../observed/add-ons.js';
import type { RolloutProjection } from '../observed/rollouts.js';
import { assignedTarget } from '../revisions/assigned.js';
import { defaultEntry } from '../strategy/entry.js';
import { pickTarget } from './target.js';

const metadata = { name: 'hello', namespace: 'c1', uid: 'u', resourceVersion: '1' };
const onC1 = projectAddOn(
  { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ManagedClusterAddOn', metadata, spec: {} } as ManagedClusterAddOn,
  (value) => value,
);
const membership = { entry: { ...defaultEntry, name: 'all' }, isSettled: true, isUnselected: false };
const since = '2026-01-01T00:00:00Z';
const history: readonly RolloutTarget[] = [{ revision: 1, digest: 'd', configs: [] }];
const entry: RolloutEntry = {
  name: 'all',
  targetRevision: 1,
  inFlight: [{ cluster: '*', revision: 1, admittedAt: since }],
  members: [],
};
const wait = { kind: 'Approval' as const, name: 'p/gate', since, clusters: 0 };

describe('a wildcard admission covers a cluster that the record does not list', () => {
  const table: readonly { when: string; status: AddOnRolloutStatus; isCovered: boolean }[] = [
    { when: 'no policy governs the add-on', status: { entries: [entry] }, isCovered: true },
    { when: 'a policy governs the add-on', status: { entries: [entry], policies: ['p'] }, isCovered: false },
    {
      when: 'a gate of a deleted policy still holds',
      status: { entries: [{ ...entry, waitingFor: [{ ...wait, loosened: true }] }] },
      isCovered: false,
    },
    {
      when: 'the record still lists an open gate of a deleted policy',
      status: { entries: [{ ...entry, openedGates: [{ name: 'p/gate', revision: 1, openedAt: since, clusters: 0 }] }] },
      isCovered: false,
    },
    {
      when: 'a gate holds clusters of another entry only',
      status: { entries: [entry, { name: 'canary', targetRevision: 1, waitingFor: [wait] }] },
      isCovered: true,
    },
    {
      when: 'a policy governs the add-on, and the entry lists the cluster',
      status: { entries: [{ ...entry, members: ['c1'] }], policies: ['p'] },
      isCovered: true,
    },
  ];
  it.each(table)('$when: $isCovered', ({ status, isCovered }) => {
    const recorded = { ...status, history };
    const rollout = { status: recorded } as RolloutProjection;
    expect(assignedTarget(recorded, onC1, 'all')?.revision).toBe(isCovered ? 1 : undefined);
    expect(pickTarget(onC1, membership, rollout, new Set()).configs !== undefined).toBe(isCovered);
  });
});
