import { describe, expect, it } from 'vitest';
import { cluster, installed, rollout } from '../../../rules/src/why/fixtures.js';
import { wellIn } from './add-ons.js';
import { awayClusters, failedClusters, rolloutState } from './rollout-state.js';

const entry = (more: object) => ({ name: 'labelSelector', ...more });

describe('the state of a rollout in words', () => {
  it.each([
    ['no status yet', {}, undefined, 'Pending', 'warn'],
    ['completed', {}, { state: 'Completed' }, 'Completed', 'good'],
    ['no cluster selected', {}, { state: 'Completed', selected: 0 }, 'Completed, no clusters', 'good'],
    [
      'no cluster selected, and pinned',
      { pinnedRevision: 1 },
      { state: 'Completed', selected: 0 },
      'Completed, no clusters, pinned',
      'warn',
    ],
    ['clusters not known yet', {}, { state: 'Pending', selected: 0 }, 'Pending', 'warn'],
    ['skipped clusters', {}, { state: 'Completed', entries: [entry({ skipped: 1 })] }, 'Completed, 1 away', 'warn'],
    [
      'parked clusters',
      {},
      { state: 'Progressing', entries: [entry({ parked: 2 }), entry({ skipped: 1 })] },
      'Progressing, 3 away',
      'warn',
    ],
    ['failures within maxFailures', {}, { state: 'Completed', failed: 2 }, 'Completed, 2 failed', 'bad'],
    ['halted', {}, { state: 'Halted', failed: 2 }, 'Halted', 'bad'],
    ['pinned', { pinnedRevision: 1 }, { state: 'Completed' }, 'Completed, pinned', 'warn'],
    ['paused', { paused: true }, { state: 'Paused' }, 'Paused', 'warn'],
    [
      'halted before it was paused',
      {},
      {
        state: 'Paused',
        failed: 1,
        entries: [entry({ state: 'Paused', failed: 1, targetRevision: 2, timeline: [{ at: '', to: 2, outcome: 'Halted' }] })],
      },
      'Paused, halted',
      'bad',
    ],
    ['a removal that waits', {}, { state: 'Completed', pendingRemoval: { count: 3, of: 3 } }, 'Completed, removal waits', 'warn'],
  ] as const)('%s', (_, spec, status, text, as) => {
    expect(rolloutState(rollout('hello', spec, status as never))).toMatchObject({ text, as });
  });

  it.each([
    { progressing: 0, names: ['c1', 'c3'] },
    { progressing: 1, names: ['c1'] },
  ])('names clusters that failed; one that only missed a deadline if none is progressing ($progressing)', ({ progressing, names }) => {
    const admitted = 'Configured True ConfigurationsConfigured x';
    const addOns = [
      installed('hello', 'c3', admitted, 'Progressing True Installing x'),
      installed('hello', 'c1', admitted, 'Progressing False Failed x'),
      installed('hello', 'c2', admitted, 'Progressing False Succeed x'),
      installed('hello', 'c4', 'Configured False ConfigurationsNotConfigured later', 'Progressing True Installing x'),
      installed('hello', 'other', admitted, 'Progressing False Failed x'),
    ];
    const record = { name: 'labelSelector', members: ['c1', 'c2', 'c3', 'c4'], failed: 2, progressing };
    expect(failedClusters(record, addOns)).toEqual(names);
    expect(failedClusters({ ...record, failed: 0 }, addOns)).toEqual([]);
  });

  it('names clusters that are done and not available at their deadline', () => {
    const addOns = ['c1', 'c2'].map((name) => installed('hello', name, 'Progressing False Succeed done', 'Available False Lost gone'));
    const record = { name: 'labelSelector', members: ['c1', 'c2'], failed: 1, progressing: 1, unhealthy: ['c2'] };
    expect(failedClusters(record, addOns)).toEqual(['c2']);
  });

  it('an add-on whose rollout failed on a cluster is not well there, although the cluster reports no failure', () => {
    const addOns = ['c1', 'c2'].flatMap((name) =>
      ['hello', 'other'].map((addOn) => installed(addOn, name, 'Progressing True Upgrading x', 'Available True ProbeAvailable x')),
    );
    const entries = [entry({ members: ['c1', 'c2'], failed: 1, unhealthy: ['c2'], progressing: 1 })];
    const well = addOns.filter(wellIn([rollout('hello', {}, { state: 'Halted', entries })], addOns));
    expect(well.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(['c1/hello', 'c1/other', 'c2/other']);
  });

  it('names clusters that are away and without the target, and no others', () => {
    const away = ['ManagedClusterConditionAvailable Unknown Lost gone'];
    const clusters = [
      cluster('c1'),
      cluster('c2', {}, away),
      cluster('c3', {}, away),
      cluster('c10', {}, away),
      cluster('other', {}, away),
    ];
    const addOns = [
      installed('hello', 'c2', 'Configured False ConfigurationsNotConfigured later'),
      installed('hello', 'c3', 'Configured True ConfigurationsConfigured done'),
    ];
    const inFlight = [{ cluster: 'c4', revision: 1, admittedAt: '', parkedSince: '2026-01-01T00:00:00Z' }];
    const record = { name: 'labelSelector', members: ['c1', 'c2', 'c3', 'c4', 'c10'], skipped: 2, parked: 1, inFlight };
    expect(awayClusters(record, clusters, addOns)).toEqual(['c2', 'c4', 'c10']);
  });
});
