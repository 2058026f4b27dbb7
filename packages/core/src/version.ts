import { compareText } from './compare-text.js';

/** The parts of a version that decide its order. */
export interface SemanticVersion {
  readonly release: readonly [major: bigint, minor: bigint, patch: bigint];
  /** The parts of the pre-release; empty for a release. */
  readonly prerelease: readonly (bigint | string)[];
}

const VERSION = /^[vV]?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Parses a semantic version leniently: `v2`, `1.4`, `v1.2.3-rc.1`. Returns undefined for any other text. */
export function parseVersion(text: string): SemanticVersion | undefined {
  const match = VERSION.exec(text);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease] = match;
  return {
    release: [BigInt(major), BigInt(minor), BigInt(patch)],
    prerelease: prerelease === undefined ? [] : prerelease.split('.').map((part) => (/^\d+$/.test(part) ? BigInt(part) : part)),
  };
}

/**
 * Compares two versions of an add-on. The result is negative if `a` is older. If every supported version is semantic, semantic versioning
 * determines the order, even for unlisted versions. If not, the position in `supported` determines the order. Returns undefined if the two
 * cannot be compared.
 */
export function compareVersions(a: string, b: string, supported: readonly string[]): number | undefined {
  if (supported.every((version) => parseVersion(version) !== undefined)) {
    const [left, right] = [parseVersion(a), parseVersion(b)];
    return left && right && compareSemantic(left, right);
  }
  const [left, right] = [supported.indexOf(a), supported.indexOf(b)];
  return left < 0 || right < 0 ? undefined : left - right;
}

/** Whether a version is a pre-release (`v2-rc.1`). A version that is not semantic is never a pre-release. */
export function isPrerelease(version: string): boolean {
  return (parseVersion(version)?.prerelease.length ?? 0) > 0;
}

/**
 * Returns the highest version that is not a pre-release, or undefined if there is none. If several versions are equal, returns the last
 * one.
 */
export function highestVersion(versions: readonly string[]): string | undefined {
  return versions
    .filter((version) => !isPrerelease(version))
    .reduce<string | undefined>(
      (best, version) => (best === undefined || (compareVersions(version, best, versions) ?? 0) >= 0 ? version : best),
      undefined,
    );
}

function compareSemantic(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, part] of a.release.entries()) {
    const order = compareBigInt(part, b.release[i] ?? 0n);
    if (order !== 0) return order;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  return comparePrerelease(a.prerelease, b.prerelease);
}

function comparePrerelease(a: readonly (bigint | string)[], b: readonly (bigint | string)[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareIdentifier(a[i] as bigint | string, b[i] as bigint | string);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares two identifiers of pre-releases. Numbers come before words. */
function compareIdentifier(a: bigint | string, b: bigint | string): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return compareBigInt(a, b);
  if (typeof a === 'bigint') return -1;
  return typeof b === 'bigint' ? 1 : compareText(a, b);
}

function compareBigInt(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
