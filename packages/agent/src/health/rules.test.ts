import { describe, expect, it } from 'vitest';
import { type LeaseHealth, graceMs, leaseAvailable, withDependencies } from './rules.js';

const present = (ageMs: number | undefined, durationSeconds?: number): LeaseHealth => ({ type: 'present', ageMs, durationSeconds });

describe('Available by lease', () => {
  const cases: { name: string; lease: LeaseHealth; want: string }[] = [
    { name: 'is True while renewed', lease: present(0), want: 'True ManagedClusterAddOnLeaseUpdated hello add-on is available.' },
    {
      name: 'is True a moment before five minutes',
      lease: present(299_999),
      want: 'True ManagedClusterAddOnLeaseUpdated hello add-on is available.',
    },
    {
      name: 'is False at five minutes',
      lease: present(300_000),
      want: 'False ManagedClusterAddOnLeaseUpdateStopped hello add-on is not available.',
    },
    {
      name: 'uses the duration in the lease',
      lease: present(50_000, 10),
      want: 'False ManagedClusterAddOnLeaseUpdateStopped hello add-on is not available.',
    },
    {
      name: 'takes a duration of zero for unset',
      lease: present(50_000, 0),
      want: 'True ManagedClusterAddOnLeaseUpdated hello add-on is available.',
    },
    {
      name: 'is False if the lease was never renewed',
      lease: present(undefined),
      want: 'False ManagedClusterAddOnLeaseUpdateStopped hello add-on is not available.',
    },
    {
      name: 'is Unknown without a lease',
      lease: { type: 'absent' },
      want: 'Unknown ManagedClusterAddOnLeaseNotFound The status of hello add-on is unknown.',
    },
  ];
  it.each(cases)('$name', ({ lease, want }) => {
    const { status, reason, message } = leaseAvailable('hello', lease);
    expect(`${status} ${reason} ${message}`).toBe(want);
  });

  it('waits five durations; the default duration is a minute', () => {
    expect([graceMs(undefined), graceMs(0), graceMs(10)]).toEqual([300_000, 300_000, 50_000]);
  });

  const degraded = (status: 'True' | 'False', reason: string) => ({
    type: 'Degraded',
    status,
    reason,
    message: 'Required addon',
    lastTransitionTime: '',
  });
  const overrides = [
    {
      name: 'a missing required dependency',
      condition: degraded('True', 'RequiredDependencyNotSatisfied'),
      want: 'False RequiredDependencyNotSatisfied',
    },
    { name: 'a missing optional one', condition: degraded('True', 'DependencyNotSatisfied'), want: 'True ManagedClusterAddOnLeaseUpdated' },
    {
      name: 'one that was missing',
      condition: degraded('False', 'RequiredDependencyNotSatisfied'),
      want: 'True ManagedClusterAddOnLeaseUpdated',
    },
    { name: 'no word about dependencies', condition: undefined, want: 'True ManagedClusterAddOnLeaseUpdated' },
  ];
  it.each(overrides)('AT-35 $name makes a good lease $want', ({ condition, want }) => {
    const { status, reason } = withDependencies(leaseAvailable('hello', present(0)), condition);
    expect(`${status} ${reason}`).toBe(want);
  });
});
