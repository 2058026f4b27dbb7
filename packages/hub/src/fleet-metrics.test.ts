import type { Condition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { addOnHealth, certificateExpiry, clusterReachability, haltedEntries } from './fleet-metrics.js';

const condition = (type: string, status: Condition['status'], reason = 'Because'): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const UP = condition('Available', 'True');
const DONE = condition('Progressing', 'False', 'Succeed');

describe('the state an add-on counts in', () => {
  it.each([
    { name: 'no condition yet', conditions: [], want: 'unknown' },
    { name: 'available', conditions: [UP, DONE], want: 'available' },
    { name: 'available without a dependency', conditions: [UP, DONE, condition('Degraded', 'True')], want: 'degraded' },
    { name: 'not available', conditions: [condition('Available', 'False'), DONE], want: 'unavailable' },
    { name: 'on a cluster that does not answer', conditions: [condition('Available', 'Unknown'), DONE], want: 'unknown' },
    { name: 'being upgraded', conditions: [UP, condition('Progressing', 'True', 'Upgrading')], want: 'progressing' },
    { name: 'failed to upgrade while the old version runs', conditions: [UP, condition('Progressing', 'False', 'Failed')], want: 'failed' },
    { name: 'being deleted', isDeleting: true, conditions: [UP, DONE], want: 'deleting' },
  ])('$name: $want', ({ isDeleting = false, conditions, want }) => expect(addOnHealth({ isDeleting, status: { conditions } })).toBe(want));
});

describe('the state a cluster counts in', () => {
  const joined = { isDeleting: false, isAccepted: true, hasJoined: true, available: undefined };
  const answer = (status: Condition['status']) => ({ status, reason: 'Because', message: '', since: 0 });
  it.each([
    { name: 'available', cluster: { ...joined, available: answer('True') }, want: 'available' },
    { name: 'its API server is down', cluster: { ...joined, available: answer('False') }, want: 'unavailable' },
    { name: 'its agent is silent', cluster: { ...joined, available: answer('Unknown') }, want: 'unreachable' },
    { name: 'its agent has not reported yet', cluster: joined, want: 'unreachable' },
    { name: 'no agent ever came', cluster: { ...joined, hasJoined: false }, want: 'not-joined' },
    { name: 'not accepted', cluster: { ...joined, isAccepted: false }, want: 'not-accepted' },
    { name: 'being removed', cluster: { ...joined, isDeleting: true, available: answer('True') }, want: 'deleting' },
  ])('$name: $want', ({ cluster, want }) => expect(clusterReachability(cluster)).toBe(want));
});

describe('the time at which the certificate of a cluster expires', () => {
  const rotated = (message: string) => [{ ...condition('ClusterCertificateRotated', 'True'), message }];
  const until = 'client certificate rotated starting from 2026-01-01T00:00:00Z to 2026-01-02T00:00:30Z';
  it.each([
    { name: 'in the message of its agent, as a whole minute', conditions: rotated(until), want: Date.parse('2026-01-02T00:01:00Z') / 1000 },
    { name: 'not reported', conditions: [], want: undefined },
    { name: 'in a message of another form', conditions: rotated('renewed'), want: undefined },
    { name: 'of no use for a cluster that is not accepted', accepts: false, conditions: rotated(until), want: undefined },
    { name: 'of no use for a cluster that leaves', isDeleting: true, conditions: rotated(until), want: undefined },
  ])('$name', ({ accepts = true, isDeleting = false, conditions, want }) =>
    expect(certificateExpiry({ accepts, isDeleting, conditions })).toBe(want),
  );
});

describe('the halted entries of a rollout', () => {
  const entry = { name: 'default/all', targetRevision: 2, failed: 1 };
  const change = { at: '2026-01-01T00:00:00Z', to: 2 };
  it.each([
    { name: 'no entry', entries: [], want: 0 },
    { name: 'halted', entries: [{ ...entry, state: 'Halted' as const }], want: 1 },
    {
      name: 'halted, then paused',
      entries: [{ ...entry, state: 'Paused' as const, timeline: [{ ...change, outcome: 'Halted' as const }] }],
      want: 1,
    },
    { name: 'paused while it progresses', entries: [{ ...entry, state: 'Paused' as const, timeline: [change] }], want: 0 },
    {
      name: 'paused after the failures were fixed',
      entries: [{ ...entry, failed: 0, state: 'Paused' as const, timeline: [{ ...change, outcome: 'Halted' as const }] }],
      want: 0,
    },
    {
      name: 'paused at a later target',
      entries: [{ ...entry, targetRevision: 3, state: 'Paused' as const, timeline: [{ ...change, outcome: 'Halted' as const }] }],
      want: 0,
    },
  ])('$name: $want', ({ entries, want }) => expect(haltedEntries({ entries })).toBe(want));
});
