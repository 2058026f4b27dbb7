import type { IgnoreFields } from '@outrigger/api';
import { type JsonObject, type KubeObject, isJsonObject, objectOrEmpty, parseJson } from '@outrigger/core';
import { hasKeys } from './applied-fields.js';
import { type FieldPath, isMeant, memberAt, removeAt } from './field-path.js';
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
 * Returns the manifest without the ignored fields, except those that the agent has applied before: these get their current values. If the
 * agent omitted such a field, the server would remove it unless another field manager also owns it. `owned` contains the fields that the
 * agent has applied, as in managedFields; undefined if it has applied none.
 */
export function withOwnedValues(
  manifest: KubeObject,
  live: KubeObject,
  owned: JsonObject | undefined,
  paths: readonly FieldPath[],
): KubeObject {
  return paths.reduce<unknown>((object, path) => keptAt(object, { live, owned }, path), manifest) as KubeObject;
}

/** The live value at one position in an object, and what the agent owns there; undefined if it owns nothing. */
interface Position {
  readonly live: unknown;
  readonly owned: unknown;
}

const NOWHERE: Position = { live: undefined, owned: undefined };

/** Like `removeAt`, but replaces a field that the agent owns by its live value. Returns undefined for a value to omit. */
function keptAt(wanted: unknown, at: Position, path: FieldPath): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return at.owned === undefined ? undefined : at.live;
  if (at.owned === undefined) return removeAt(wanted, path);
  if (Array.isArray(wanted)) {
    return wanted.flatMap((item: unknown, index) => {
      const kept = isMeant(step, item, index, wanted.length) ? keptAt(item, elementAt(at, item, index), rest) : item;
      return kept === undefined ? [] : [kept];
    });
  }
  const names = step.type === 'field' ? [step.name] : step.type === 'every' && isJsonObject(wanted) ? Object.keys(wanted) : [];
  return names.reduce<unknown>((value, name) => withMember(value, name, keptAt(memberAt(value, [name]), fieldAt(at, name), rest)), wanted);
}

function withMember(value: unknown, name: string, member: unknown): unknown {
  if (member === undefined && memberAt(value, [name]) === undefined) return value;
  const others = Object.entries(objectOrEmpty(value)).filter(([key]) => key !== name);
  return Object.fromEntries(member === undefined ? others : [...others, [name, member]]);
}

function fieldAt({ live, owned }: Position, name: string): Position {
  return { live: memberAt(live, [name]), owned: isWhole(owned) ? owned : memberAt(owned, [`f:${name}`]) };
}

/** Finds the live element that an element of the manifest describes: by its keys, by its value in a set, or by its index. */
function elementAt({ live, owned }: Position, item: unknown, index: number): Position {
  if (!Array.isArray(live) || !isJsonObject(owned)) return NOWHERE;
  const elements: readonly unknown[] = live;
  if (isWhole(owned)) return { live: elements[index], owned };
  if (!isJsonObject(item)) return { live: elements.find((one) => one === item), owned: memberAt(owned, [`v:${JSON.stringify(item)}`]) };
  for (const [key, below] of Object.entries(owned)) {
    const keys: unknown = key.startsWith('k:') ? parseJson(key.slice(2)) : undefined;
    if (!isJsonObject(keys) || !hasKeys(item, keys)) continue;
    return { live: elements.find((one) => isJsonObject(one) && hasKeys(one, keys)), owned: below };
  }
  return NOWHERE;
}

/** Whether an entry of managedFields owns the whole value at its position: a scalar, or a list or map that is atomic. */
function isWhole(owned: unknown): boolean {
  return isJsonObject(owned) && Object.keys(owned).length === 0;
}

/** Parses the paths of a rule. It is also called for rules that ignore nothing, so that an invalid path is always reported. */
function pathsOf({ jsonPaths = [], jsonPointers = [], jqPathExpressions = [] }: IgnoreFields): readonly FieldPath[] {
  const all = [...jsonPaths.map(parseJsonPath), ...jsonPointers.map(parsePointer), ...jqPathExpressions.map(parseJqPath)];
  const identity = all.find((path) => isIdentity(path));
  if (identity) throw new Error('apiVersion, kind, metadata, metadata.name and metadata.namespace cannot be ignored');
  return all;
}

const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'metadata/*', 'metadata/name', 'metadata/namespace']);

function isIdentity(path: FieldPath): boolean {
  const names = path.map((step) => (step.type === 'every' ? '*' : step.type === 'field' ? step.name : ''));
  return names[0] === '*' || IDENTITY.has(names.join('/'));
}
