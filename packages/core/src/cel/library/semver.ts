import { compareVersions, parseVersion } from '../../version.js';
import { CelEvaluationError, shown } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { BOOL, INT, opaque, STRING } from '../types.js';
import { CelOpaque } from '../values.js';

const TYPE_NAME = 'kubernetes.Semver';
const SEMVER = opaque(TYPE_NAME);
const STRICT =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;
const MAX_LENGTH = 256;

class CelSemver extends CelOpaque {
  readonly typeName = TYPE_NAME;
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelSemver && order(this, other) === 0n;
  }
}

/** Drops a leading `v`, adds missing parts and drops leading zeros: `v01.2` becomes `1.2.0`. */
function normalize(text: string): string {
  const [, core = '', rest = ''] = /^v?([0-9.]*)(.*)$/s.exec(text) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest;
}

function parse(text: string, isNormalized: boolean): CelSemver | undefined {
  const candidate = isNormalized ? normalize(text) : text;
  return candidate.length <= MAX_LENGTH && STRICT.test(candidate) ? new CelSemver(candidate) : undefined;
}

function toSemver(text: string, isNormalized = false): CelSemver {
  const version = parse(text, isNormalized === true);
  if (version === undefined) throw new CelEvaluationError(`${shown(text)} is no semantic version`);
  return version;
}

function order(a: CelSemver, b: CelSemver): bigint {
  return BigInt(Math.sign(compareVersions(a.text, b.text, []) ?? 0));
}

function part(index: 0 | 1 | 2) {
  return ({ text }: CelSemver): bigint => parseVersion(text)?.release[index] ?? 0n;
}

/** The functions for semantic versions, such as `semver("1.2.3").isLessThan(semver("1.10.0"))`. */
export const SEMVERS: readonly CelFunction[] = [
  define('semver', [STRING], SEMVER, (text: string) => toSemver(text)),
  define('semver', [STRING, BOOL], SEMVER, (text: string, isNormalized: boolean) => toSemver(text, isNormalized)),
  define('isSemver', [STRING], BOOL, (text: string) => parse(text, false) !== undefined),
  define('isSemver', [STRING, BOOL], BOOL, (text: string, isNormalized: boolean) => parse(text, isNormalized) !== undefined),
  define('string', [SEMVER], STRING, ({ text }: CelSemver) => text),
  defineMember('isLessThan', [SEMVER, SEMVER], BOOL, (a: CelSemver, b: CelSemver) => order(a, b) < 0n),
  defineMember('isGreaterThan', [SEMVER, SEMVER], BOOL, (a: CelSemver, b: CelSemver) => order(a, b) > 0n),
  defineMember('compareTo', [SEMVER, SEMVER], INT, order),
  defineMember('major', [SEMVER], INT, part(0)),
  defineMember('minor', [SEMVER], INT, part(1)),
  defineMember('patch', [SEMVER], INT, part(2)),
];
