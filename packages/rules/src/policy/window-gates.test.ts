import { describe, expect, it } from 'vitest';
import type { CompiledPolicy } from './compile.js';
import { cluster, evaluate, freeze, group, heldOf, nights, policy, recordOf } from './fixtures.js';

describe('windows of several policies', () => {
  const closed = nights();
  const open = nights({ name: 'days', schedule: '0 8 * * *' });
  it.each<[string, readonly CompiledPolicy[], boolean]>([
    ['no policy', [], false],
    ['a policy without gates', [policy('p')], false],
    ['an open Allow window', [policy('p', { windows: [open] })], false],
    ['a closed Allow window', [policy('p', { windows: [closed] })], true],
    ['one of two Allow windows of a policy is open: OR', [policy('p', { windows: [closed, open] })], false],
    [
      'the Allow windows of one of two policies are closed: AND',
      [policy('p', { windows: [open] }), policy('q', { windows: [closed] })],
      true,
    ],
    ['an open Deny window', [policy('p', { windows: [freeze()] })], true],
    ['an open Deny window beside an open Allow window', [policy('p', { windows: [open, freeze()] })], true],
    ['a Deny window of another policy', [policy('p', { windows: [open] }), policy('q', { windows: [freeze()] })], true],
    ['a Deny window that is over', [policy('p', { windows: [freeze({ until: '2026-11-16T11:00' })] })], false],
    ['a Deny window for installations only', [policy('p', { windows: [freeze({ for: ['Install'] })] })], false],
    [
      'the last part of an Allow window',
      [policy('p', { windows: [nights({ schedule: '0 8 * * *', duration: '5h', lastAdmission: '2h' })] })],
      true,
    ],
  ])('%s', (_, policies, isHeld) => {
    expect(heldOf(evaluate({ policies }))).toEqual(isHeld ? ['c1', 'c2'] : []);
  });

  it('records the wait and its end, and requests a recheck when a listed window ends', () => {
    const policies = [policy('p', { windows: [freeze(), closed] })];
    const verdict = evaluate({ policies });
    expect(verdict.waitingFor).toMatchObject([
      { kind: 'Window', name: 'p/freeze', clusters: 2, since: '2026-11-16T12:00:00Z', until: '2026-11-17T00:00:00Z' },
      { kind: 'Window', name: 'p/nights', clusters: 2, until: '2026-11-17T00:00:00Z' },
    ]);
    const opensAt = Date.parse('2026-11-16T22:00:00Z');
    expect(verdict.recheckAt).toBe(opensAt);
    const later = evaluate({ policies, before: recordOf(verdict), now: opensAt });
    expect(later.waitingFor).toMatchObject([{ name: 'p/freeze', since: '2026-11-16T12:00:00Z', until: '2026-11-17T00:00:00Z' }]);
    expect(later.recheckAt).toBe(Date.parse('2026-11-17T00:00:00Z'));
  });

  it('requests a recheck when an open window closes', () => {
    expect(evaluate({ policies: [policy('p', { windows: [open] })] }).recheckAt).toBe(Date.parse('2026-11-16T14:00:00Z'));
  });

  it('holds the clusters of one region only', () => {
    const eu = cluster('eu1', { labels: { region: 'eu' } });
    const policies = [policy('p', { windows: [freeze({ clusters: { matchLabels: { region: 'eu' } } })] })];
    const verdict = evaluate({ policies, groups: [group('rest', [eu, 'us1'])] });
    expect(heldOf(verdict)).toEqual(['eu1']);
    expect(verdict.waitingFor).toMatchObject([{ clusters: 1 }]);
  });

  it('reads the zone of each cluster, falls back to timeZone, and reports the fallback', () => {
    const zoned = nights({ schedule: '0 12 * * *', duration: '1h', timeZone: 'America/New_York', timeZoneFrom: { annotation: 'zone' } });
    const berlin = cluster('berlin', { annotations: { zone: 'Europe/Berlin' } });
    const utc = cluster('utc', { annotations: { zone: 'UTC' } });
    const none = cluster('none');
    const verdict = evaluate({ policies: [policy('p', { windows: [zoned] })], groups: [group('rest', [berlin, utc, none])] });
    expect(heldOf(verdict)).toEqual(['berlin', 'none']);
    expect(verdict.notes).toEqual(['p/nights: 1 cluster without a known time zone in the annotation zone; America/New_York applies']);
  });

  it('count as closed while the clock is not trusted, for clusters that a window applies to', () => {
    const policies = [policy('p', { windows: [open, freeze({ name: 'eu', clusters: { matchLabels: { region: 'eu' } } })] })];
    const verdict = evaluate({ policies, isClockTrusted: false });
    expect(heldOf(verdict)).toEqual(['c1', 'c2']);
    expect(verdict.waitingFor).toMatchObject([{ kind: 'Clock', clusters: 2 }]);
    expect(heldOf(evaluate({ policies: [policy('p', { approvals: [] })], isClockTrusted: false }))).toEqual([]);
  });

  it('decide whether a joining cluster may be installed', () => {
    const policies = [policy('p', { windows: [freeze({ for: ['Install'], clusters: { matchLabels: { region: 'eu' } } })] })];
    const { mayInstall } = evaluate({ policies });
    expect([mayInstall(cluster('new', { labels: { region: 'eu' } })), mayInstall(cluster('other'))]).toEqual([false, true]);
  });
});
