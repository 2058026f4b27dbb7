import type { ControllerRevision } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTargetRecord, targetRecordName, targetRecordObject } from './stored-record.js';
import { CLUSTER_OUTCOMES, type ClusterMove, type TargetRecord } from './target-record.js';

const OWNER = { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', name: 'hello', uid: 'u' };
const START = Date.UTC(2026, 10, 16, 10);
const time = (seconds: number): string => new Date(START + seconds * 1000).toISOString().replace('.000', '');

function record(clusters: readonly ClusterMove[]): TargetRecord {
  const sorted = [...clusters].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
  const times = { startedAt: time(0), endedAt: time(3600) };
  return { addOn: 'hello', entry: 'default/all', revision: 3, from: 2, ...times, outcome: 'Completed', clusters: sorted, omitted: 0 };
}

const stored = (clusters: readonly ClusterMove[]): TargetRecord | undefined =>
  readTargetRecord(JSON.parse(JSON.stringify(targetRecordObject(record(clusters), 'hub', OWNER))) as ControllerRevision);

const moves: fc.Arbitrary<ClusterMove> = fc
  .record({
    cluster: fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/),
    outcome: fc.constantFrom(...CLUSTER_OUTCOMES),
    admitted: fc.option(fc.integer({ min: -600, max: 1_000_000 })),
    seconds: fc.nat(1_000_000),
  })
  .map(({ cluster, outcome, admitted, seconds }) =>
    admitted === null ? { cluster, outcome } : { cluster, outcome, admittedAt: time(admitted), seconds },
  );

describe('a stored target record', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(moves, { selector: ({ cluster }) => cluster, maxLength: 40 }), (clusters) => {
        expect(stored(clusters)).toEqual(record(clusters));
      }),
    );
  });

  const fleet = (count: number, name: (i: number) => string, failing = 0): readonly ClusterMove[] =>
    Array.from({ length: count }, (_, i) => ({
      cluster: name(i),
      outcome: i < failing ? 'Failed' : 'Succeeded',
      admittedAt: time(i * 5),
      seconds: i % 900,
    }));

  it('has all of 10,000 clusters', () => {
    const clusters = fleet(10_000, (i) => `cluster-${String(i).padStart(5, '0')}`);
    expect(JSON.stringify(targetRecordObject(record(clusters), 'hub', OWNER)).length).toBeLessThanOrEqual(256_000);
    expect(stored(clusters)?.clusters.length).toBe(10_000);
  });

  it.each([12_000, 20_000])('of %i clusters with long names has at most 256 kB, and keeps each cluster that failed', (count) => {
    const clusters = fleet(count, (i) => `${'production-europe-west-'.repeat(2)}${i}`, 50);
    expect(JSON.stringify(targetRecordObject(record(clusters), 'hub', OWNER)).length).toBeLessThanOrEqual(256_000);
    const read = stored(clusters);
    expect(read?.clusters.filter(({ outcome }) => outcome === 'Failed').length).toBe(50);
    expect((read?.clusters.length ?? 0) + (read?.omitted ?? 0)).toBe(count);
    expect(read?.clusters.length).toBeGreaterThan(3_000);
    // The selection is even, so it keeps the distribution of the durations.
    const mean = (some: readonly ClusterMove[]): number => some.reduce((sum, { seconds = 0 }) => sum + seconds, 0) / some.length;
    expect(Math.abs(mean(read?.clusters ?? []) - mean(clusters))).toBeLessThan(15);
  });

  it('has another name for another add-on, entry, revision, start, end or outcome', () => {
    const base = record([]);
    const others: readonly TargetRecord[] = [
      { ...base, addOn: 'other' },
      { ...base, entry: 'default/other' },
      { ...base, revision: 4 },
      { ...base, startedAt: time(1) },
      { ...base, endedAt: time(1) },
      { ...base, outcome: 'Halted' },
    ];
    expect(new Set([base, ...others].map(targetRecordName)).size).toBe(others.length + 1);
    expect(targetRecordName({ ...base, omitted: 7 } as TargetRecord)).toBe(targetRecordName(base));
  });

  it.each([[{}], [{ addOn: 'hello' }], [{ addOn: 1, entry: 2 }], [undefined]])('is undefined for other data: %j', (data) => {
    expect(readTargetRecord(data === undefined ? {} : { data })).toBeUndefined();
  });

  it('skips clusters that it cannot read', () => {
    const data = { ...targetRecordObject(record([]), 'hub', OWNER).data, clusters: { Succeeded: 7, Failed: 'c1:x c2:1+2' } };
    expect(readTargetRecord({ data })?.clusters).toEqual([
      { cluster: 'c1', outcome: 'Failed' },
      { cluster: 'c2', outcome: 'Failed', admittedAt: time(1), seconds: 2 },
    ]);
  });
});
