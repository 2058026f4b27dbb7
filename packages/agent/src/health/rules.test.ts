import { describe, expect, it } from 'vitest';
import { LeaseAges } from './lease-ages.js';
import type { LeaseRecord } from './leases.js';
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
      name: 'goes by the lease’s own duration',
      lease: present(50_000, 10),
      want: 'False ManagedClusterAddOnLeaseUpdateStopped hello add-on is not available.',
    },
    {
      name: 'takes a duration of zero for unset',
      lease: present(50_000, 0),
      want: 'True ManagedClusterAddOnLeaseUpdated hello add-on is available.',
    },
    {
      name: 'is False where it was never renewed',
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

  it('waits five durations, of a minute where none is given', () => {
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

describe('the age of a lease', () => {
  const START = Date.parse('2026-01-01T00:00:00Z');
  const lease = (secondsAfterStart: number): LeaseRecord => ({
    key: { name: 'l' },
    uid: 'u',
    resourceVersion: '1',
    renewTime: new Date(START + secondsAfterStart * 1000).toISOString(),
    durationSeconds: 60,
  });
  function clockAt(): { ages: LeaseAges; tick(ms: number): void; jump(ms: number): void } {
    let [wall, monotonic] = [START, 0];
    const ages = new LeaseAges({ now: () => wall, monotonic: () => monotonic });
    return {
      ages,
      tick: (ms) => {
        wall += ms;
        monotonic += ms;
      },
      jump: (ms) => {
        wall += ms;
      },
    };
  }

  it('goes by the wall clock at first sight, and grows', () => {
    const { ages, tick } = clockAt();
    expect(ages.ageOf(lease(-100))).toBe(100_000);
    tick(5_000);
    expect(ages.ageOf(lease(-100))).toBe(105_000);
  });

  it('is zero right after a renewal', () => {
    const { ages, tick } = clockAt();
    ages.ageOf(lease(0));
    tick(60_000);
    expect(ages.ageOf(lease(60))).toBe(0);
  });

  it.each([3_600_000, -3_600_000])('AT-48 does not change when the wall clock jumps by %i ms', (ms) => {
    const { ages, tick, jump } = clockAt();
    ages.ageOf(lease(0));
    jump(ms);
    tick(60_000);
    expect(ages.ageOf(lease(0))).toBe(60_000);
    expect(ages.ageOf(lease(60))).toBe(0);
    tick(30_000);
    expect(ages.ageOf(lease(60))).toBe(30_000);
  });

  it('AT-48 does not change when the holder’s clock jumps', () => {
    const { ages, tick } = clockAt();
    ages.ageOf(lease(0));
    tick(60_000);
    expect(ages.ageOf(lease(3_660))).toBe(0);
  });

  it('believes a lease that is set back to a time long ago', () => {
    const { ages, tick } = clockAt();
    ages.ageOf(lease(0));
    tick(1_000);
    expect(ages.ageOf(lease(-600))).toBe(601_000);
  });

  it('is unknown where it was never renewed', () => {
    const { ages } = clockAt();
    expect(ages.ageOf({ ...lease(0), renewTime: undefined })).toBeUndefined();
  });
});
