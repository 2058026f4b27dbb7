import { describe, expect, it } from 'vitest';
import type { LogEntry, Stored } from './log.js';
import { judgeObserved } from './observed.js';

type Change = Pick<LogEntry, 'kind' | 'id' | 'after'> & { readonly actor?: string };

/** Returns a log of the given changes, 100 ms apart. */
function logOf(...changes: readonly Change[]): readonly LogEntry[] {
  const now = new Map<string, Stored | undefined>();
  return changes.map(({ kind, id, after, actor = 'hub' }, index) => {
    const before = now.get(`${kind} ${id}`);
    now.set(`${kind} ${id}`, after);
    return { index, at: index * 100, actor, kind, id, before, after, pass: undefined };
  });
}

const CLUSTERS = ['c1', 'c2', 'c3'];
const declaration = (maxConcurrency: number): Change => ({
  kind: 'clustermanagementaddons',
  id: 'alpha',
  after: {
    metadata: { name: 'alpha', uid: 'declared' },
    spec: {
      installStrategy: {
        type: 'ClusterLabelSelector',
        labelSelector: { matchLabels: { fleet: 'yes' } },
        rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency } },
      },
    },
  },
});
const clusters = CLUSTERS.map((name) => ({
  kind: 'managedclusters',
  id: name,
  after: { metadata: { name, labels: { fleet: 'yes' } }, spec: { hubAcceptsClient: true } },
}));
const record = (...admitted: readonly string[]): Change => ({
  kind: 'addonrollouts',
  id: 'alpha',
  after: {
    metadata: { name: 'alpha' },
    status: {
      history: [{ revision: 1, digest: 'a' }],
      entries: [{ name: 'labelSelector', targetRevision: 1, inFlight: admitted.map((cluster) => ({ cluster, revision: 1 })) }],
    },
  },
});
const addOn = (metadata: object): Change => ({
  kind: 'managedclusteraddons',
  id: 'c1/alpha',
  after: { metadata: { namespace: 'c1', name: 'alpha', ...metadata } },
});
const rulesOf = (log: readonly LogEntry[]): readonly string[] => judgeObserved(log, true).map(({ rule }) => rule);

describe('a log of a real server', () => {
  it('breaks the budget if more clusters are in flight than any declaration of the last seconds allows', () => {
    expect(rulesOf(logOf(declaration(1), ...clusters, record('c1', 'c2')))).toEqual(['budget']);
  });

  it('keeps the budget of a declaration that the pass may still have read', () => {
    expect(rulesOf(logOf(declaration(2), ...clusters, declaration(1), record('c1', 'c2')))).toEqual([]);
  });

  it('breaks a rule if the hub removes an add-on that a person made', () => {
    const owned = { ownerReferences: [{ uid: 'declared' }] };
    const removed = addOn({ ...owned, deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(rulesOf(logOf(declaration(1), ...clusters, addOn(owned), removed))).toEqual(['hand-made add-on']);
    expect(rulesOf(logOf(declaration(1), ...clusters, addOn(owned), { ...removed, actor: 'person' }))).toEqual([]);
  });

  it('allows an add-on that a person made to end with its declaration or its cluster', () => {
    const owned = { ownerReferences: [{ uid: 'an earlier declaration' }] };
    const gone = { kind: 'managedclusteraddons', id: 'c1/alpha', after: undefined };
    expect(rulesOf(logOf(declaration(1), ...clusters, addOn(owned), gone))).toEqual([]);
    expect(rulesOf(logOf(declaration(1), ...clusters.slice(1), addOn({}), gone))).toEqual([]);
  });

  it('breaks a rule if two field managers write the same condition', () => {
    const writer = (manager: string, type: string): object => ({
      manager,
      fieldsV1: { 'f:status': { 'f:conditions': { [`k:{"type":"${type}"}`]: { 'f:status': {} } } } },
    });
    expect(rulesOf(logOf(addOn({ managedFields: [writer('hub', 'Available'), writer('agent', 'Available')] })))).toEqual(['one writer']);
    expect(rulesOf(logOf(addOn({ managedFields: [writer('hub', 'Available'), writer('agent', 'Healthy')] })))).toEqual([]);
  });
});
