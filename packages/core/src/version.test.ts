import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, highestVersion, isPrerelease, parseVersion } from './version.js';

describe('compareVersions, semantic', () => {
  const ordered = [
    '0.9',
    'v1-alpha',
    'v1-alpha.1',
    '1-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    'v1.0.0-rc.1',
    'v1',
    '1.0.1',
    '1.2',
    'v1.10',
    'v2-rc.1',
    'v2',
    'v10',
  ];
  it('orders a list of growing versions, whatever their spelling', () => {
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries())
        expect([a, b, Math.sign(compareVersions(a, b, ordered) ?? Number.NaN)]).toEqual([a, b, Math.sign(i - j)]);
    }
  });
  it('also orders versions that are not listed', () => expect(compareVersions('v1.5', 'v9', ['v1', 'v2'])).toBeLessThan(0));
  it('build metadata and the v do not count', () => expect(compareVersions('v1.2.3+abc', '1.2.3', [])).toBe(0));
  it('cannot compare a semantic version with another one', () => expect(compareVersions('latest', 'v1', ['v1', 'v2'])).toBeUndefined());
});

describe('compareVersions, by position', () => {
  const listed = ['winter', 'v1', 'spring'];
  it('one version that is not semantic makes the position in the list the order', () => {
    expect(compareVersions('winter', 'spring', listed)).toBeLessThan(0);
    expect(compareVersions('spring', 'v1', listed)).toBeGreaterThan(0);
    expect(compareVersions('v1', 'v1', listed)).toBe(0);
  });
  it('a version that is not listed has no position', () => expect(compareVersions('v2', 'v1', listed)).toBeUndefined());
});

describe('pre-releases and the highest version', () => {
  it.each([
    ['v1-rc.1', true],
    ['1.2.3-0', true],
    ['v1', false],
    ['latest-rc', false],
    ['1.2.3+build-1', false],
  ])('%s is a pre-release: %s', (version, want) => expect(isPrerelease(version)).toBe(want));
  it.each([
    [['v1', 'v3', 'v2'], 'v3'],
    [['v1', 'v2-rc.1'], 'v1'],
    [['v2-rc.1'], undefined],
    [[], undefined],
    [['winter', 'v9', 'spring'], 'spring'],
    [['1.10', '1.9'], '1.10'],
  ])('of %j it is %s', (versions, want) => expect(highestVersion(versions)).toBe(want));
});

describe('parseVersion', () => {
  it.each(['', 'v', 'latest', '1.2.3.4', '1..2', 'v1.2.3-', '1.2.3-a..b', ' 1', 'unknown'])('%j is not semantic', (text) =>
    expect(parseVersion(text)).toBeUndefined(),
  );
  it('the order is total: antisymmetric and transitive', () => {
    const part = fc.nat(3).map(String);
    const identifier = fc.constantFrom('0', '1', '10', 'a', 'b', 'rc');
    const version = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.array(identifier, { maxLength: 2 }))
      .map(([release, pre]) => release.join('.') + (pre.length > 0 ? `-${pre.join('.')}` : ''));
    const sign = (a: string, b: string): number => Math.sign(compareVersions(a, b, []) ?? Number.NaN);
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(sign(a, b) + sign(b, a)).toBe(0);
        if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
