import { KIND_DEFINITIONS } from '@outrigger/api';
import { type KubeObject, apiVersionOf, parseApiVersion } from '@outrigger/core';
import { type BuiltinKind, BUILTIN_KINDS } from '@outrigger/control-plane/builtin-kinds';
import { nearest } from '@outrigger/rules/explanation';

const OURS: readonly BuiltinKind[] = KIND_DEFINITIONS.flatMap(({ group, kind, versions }) =>
  versions.map(({ version }) => ({ group, version, kind })),
);

/** Whether the group has built-in kinds. Any other group may belong to a CRD that is not known here. */
function isBuiltinGroup(group: string): boolean {
  return BUILTIN_KINDS.some((one) => one.group === group);
}

/**
 * Explains why the apiVersion or kind of an object is not known. Returns undefined if it may be a kind of another group, which cannot be
 * checked.
 */
export function unknownKind({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  const known = [...OURS, ...BUILTIN_KINDS];
  const sameKind = known.filter((one) => one.kind === kind);
  if (known.some((one) => one.group === group && one.version === version && one.kind === kind)) return undefined;
  const inGroup = sameKind.filter((one) => one.group === group);
  if (inGroup.length > 0) return `apiVersion: there is no version ${version} of ${kind}: use ${versionsOf(inGroup)}`;
  const elsewhere = sameKind.filter((one) => isMistaken(group, one.group));
  if (elsewhere.length > 0)
    return `apiVersion: there is no ${kind} in ${group === '' ? apiVersion : `group ${group}`}: use ${versionsOf(elsewhere)}`;
  const kinds = known.filter((one) => one.group === group);
  if (kinds.length === 0 || (!kinds.some(isOurs) && !isBuiltinGroup(group))) return undefined;
  const near = nearest(kind, new Set(kinds.map((one) => one.kind)));
  // An unknown built-in kind may be one that the embedded server does not support, so it is reported only if it is probably a typo.
  if (near === undefined && !kinds.some(isOurs)) return undefined;
  const right = kinds.filter((one) => one.kind === near);
  const names = [...new Set(kinds.map((one) => one.kind))].sort();
  return `kind: there is no ${apiVersion} ${kind}: ${near === undefined ? `use ${names.join(', ')}` : `did you mean ${near} (${versionsOf(right)})?`}`;
}

function isOurs({ group }: BuiltinKind): boolean {
  return KIND_DEFINITIONS.some((one) => one.group === group);
}

function isNear(known: string, group: string): boolean {
  return known !== '' && nearest(group, [known]) !== undefined;
}

/**
 * Whether `known` was probably the intended group: the given group is similar to `known`, is part of the same domain, or has no dot. Only
 * groups of built-in kinds have no dot, such as `extensions` in old versions.
 */
function isMistaken(group: string, known: string): boolean {
  return !group.includes('.') || isNear(known, group) || (known.includes('.') && group.endsWith(known.slice(known.indexOf('.'))));
}

function versionsOf(kinds: readonly BuiltinKind[]): string {
  return [...new Set(kinds.map(apiVersionOf))].join(' or ');
}
