import type { ManagedCluster } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { projectCluster } from './clusters.js';

function zonesOf(annotations: Readonly<Record<string, string>>): readonly string[] {
  const cluster = { metadata: { name: 'c1', annotations }, spec: {} } as unknown as ManagedCluster;
  return Object.values(projectCluster(cluster, (value) => value).timeZones);
}

describe('the time zones in the annotations of a ManagedCluster', () => {
  const short = 'CET EST5EDT Egypt GB-Eire GMT GMT+0 GMT0 Greenwich Japan Kwajalein NZ-CHAT UTC W-SU Zulu'.split(' ');
  it.each([...short, 'Etc/GMT+12', 'utc', 'europe/berlin'])('%s is one', (zone) => expect(zonesOf({ zone })).toEqual([zone]));

  it('every zone that the platform knows is one', () => {
    const isMissing = (zone: string): boolean => zonesOf({ zone }).length === 0;
    expect(Intl.supportedValuesOf('timeZone').filter(isMissing)).toEqual([]);
  });

  it.each(['', 'true', 'Europe/Atlantis', '+02:00', 'CET ', '2026-01-01', 'https://example.com'])('%j is none', (value) =>
    expect(zonesOf({ value })).toEqual([]),
  );
});
