import type { RolloutEntry } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { otherEntries } from './other-entries.js';

const AT = { revision: 2, admittedAt: '2026-01-01T00:00:00Z' };
const named = (cluster: string) => ({ cluster, ...AT });

describe('the record of the other entries', () => {
  const own: RolloutEntry = { name: 'own', members: ['c9'], inFlight: [named('c9')] };
  const progressive: RolloutEntry = { name: 'one-by-one', members: ['c1', 'c2'], inFlight: [named('c1')] };
  const all: RolloutEntry = { name: 'all', members: ['c3', 'c4'], inFlight: [{ ...named('*'), except: ['c4'] }] };
  const others = otherEntries([own, progressive, all], 'own');

  it.each([
    ['in flight by name', 'c1', true, true],
    ['not in flight', 'c2', false, false],
    ['covered by a wildcard', 'c3', false, true],
    ['excluded from a wildcard', 'c4', false, false],
    ['that no entry lists', 'c5', false, false],
    ['that only this entry lists', 'c9', false, false],
  ])('finds the admission of a cluster %s', (_, cluster, isNamed, isAdmitted) => {
    expect(others?.named(cluster)).toEqual(isNamed ? named(cluster) : undefined);
    const expected = cluster === 'c3' ? { ...named('c3'), except: ['c4'] } : named(cluster);
    expect(others?.admission(cluster)).toEqual(isAdmitted ? expected : undefined);
  });

  it('is read once, however many clusters are looked up', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `c${i}`);
    let reads = 0;
    const counted = <T>(value: T): T => {
      reads++;
      return value;
    };
    const entry: RolloutEntry = {
      name: 'large',
      get members() {
        return counted(names);
      },
      get inFlight() {
        return counted([named('*'), named('c7')]);
      },
    };
    const looked = otherEntries([entry], 'own');
    for (const name of names)
      expect([looked?.named(name)?.cluster, looked?.admission(name)?.cluster]).toEqual([name === 'c7' ? 'c7' : undefined, name]);
    expect(reads).toBeLessThan(10);
  });
});
