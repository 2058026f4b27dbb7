import type { IgnoreFields } from '@outrigger/api';
import { type JsonObject, type KubeObject, objectOrEmpty } from '@outrigger/core';
import { type FieldPath, memberAt, removeAt } from './field-path.js';
import { parseJqPath, parseJsonPath, parsePointer } from './field-path-syntax.js';

/**
 * Returns the fields that the agent does not change once the object exists. `OnSpokeChange` fields are not among them, because they are
 * sent again when the manifest changes. Throws an error that names the first path that cannot be parsed.
 */
export function ignoredPaths(rules: readonly IgnoreFields[]): readonly FieldPath[] {
  return rules.flatMap((rule) => {
    const read = pathsOf(rule);
    return rule.condition === 'OnSpokeChange' ? [] : read;
  });
}

export function withoutPaths(manifest: KubeObject, paths: readonly FieldPath[]): KubeObject {
  return paths.reduce<unknown>(removeAt, manifest) as KubeObject;
}

/**
 * Adds the ignored fields that the agent has applied before, with their current values, to the object to apply. If the agent omitted such a
 * field, the server would remove it unless another field manager also owns it. `owned` contains the fields that the agent has applied.
 */
export function withOwnedValues(reduced: KubeObject, live: KubeObject, owned: JsonObject, paths: readonly FieldPath[]): KubeObject {
  return paths.reduce<unknown>((object, path) => {
    const names = path.flatMap((step) => (step.type === 'field' ? [step.name] : []));
    const value = names.length === path.length && owns(owned, names) ? memberAt(live, names) : undefined;
    return value === undefined ? object : setAt(object, names, value);
  }, reduced) as KubeObject;
}

function owns(owned: JsonObject, names: readonly string[]): boolean {
  return (
    memberAt(
      owned,
      names.map((name) => `f:${name}`),
    ) !== undefined
  );
}

function setAt(value: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) return member;
  const fields = objectOrEmpty(value);
  const below = setAt(Object.hasOwn(fields, name) ? fields[name] : undefined, rest, member);
  return Object.fromEntries([...Object.entries(fields).filter(([key]) => key !== name), [name, below]]);
}

/** Parses the paths of a rule. It is also called for rules that ignore nothing, so that an invalid path is always reported. */
function pathsOf({ jsonPaths = [], jsonPointers = [], jqPathExpressions = [] }: IgnoreFields): readonly FieldPath[] {
  const all = [...jsonPaths.map(parseJsonPath), ...jsonPointers.map(parsePointer), ...jqPathExpressions.map(parseJqPath)];
  const identity = all.find((path) => isIdentity(path));
  if (identity) throw new Error('apiVersion, kind, metadata, metadata.name and metadata.namespace cannot be ignored');
  return all;
}

const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'metadata/name', 'metadata/namespace']);

function isIdentity(path: FieldPath): boolean {
  return path[0]?.type === 'every' || IDENTITY.has(path.map((step) => (step.type === 'field' ? step.name : '')).join('/'));
}
