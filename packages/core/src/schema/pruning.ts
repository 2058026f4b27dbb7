import { isJsonObject } from '../json.js';
import { setOwn } from '../patch/own.js';
import { fieldError, fieldErrorText } from './field-error.js';
import { knownMeta, malformedMeta } from './object-meta.js';
import { bodyPath, fieldPath, type Segment } from './run.js';
import type { StructuralSchema } from './types.js';

export interface PruneRun {
  readonly path: Segment[];
  /** The paths of the dropped fields. */
  readonly unknown: string[];
  /** The errors that prevent decoding: apiVersion, kind or metadata of the wrong type, in the object or in embedded objects. */
  readonly malformed: string[];
}

export function newPruneRun(): PruneRun {
  return { path: [], unknown: [], malformed: [] };
}

/** Drops unknown fields. Returns the value itself if there is nothing to prune. */
export type Pruning = (value: unknown, run: PruneRun) => unknown;

const TYPE_META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const nothingKnown: Pruning = (value, run) => {
  if (Array.isArray(value)) return mapItems(value, run, nothingKnown);
  if (!isJsonObject(value)) return value;
  for (const key of Object.keys(value)) recordUnknown(run, key);
  return Object.keys(value).length === 0 ? value : {};
};

function recordUnknown(run: PruneRun, key: string): void {
  run.unknown.push(bodyPath([...run.path, key]));
}

/**
 * Compiles the removal of fields that a schema does not declare. If unknown fields are preserved, only declared parts are pruned.
 * `isResource` keeps apiVersion, kind and metadata, because every object has them.
 */
export function compilePruning(schema: StructuralSchema, isResource = false, inPreservedList = false): Pruning {
  const preserves = inPreservedList || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const members = memberPruning(schema, isResource || schema['x-kubernetes-embedded-resource'] === true, preserves);
  const item = schema.items ? compilePruning(schema.items, false, preserves) : preserves ? undefined : nothingKnown;
  return (value, run) => {
    if (Array.isArray(value)) return item ? mapItems(value, run, item) : value;
    return isJsonObject(value) ? members(value, run) : value;
  };
}

function mapItems(list: readonly unknown[], run: PruneRun, item: Pruning): unknown {
  let out: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    run.path.push(i);
    const after = item(list[i], run);
    run.path.pop();
    if (after === list[i]) continue;
    out ??= list.slice();
    out[i] = after;
  }
  return out ?? list;
}

function memberPruning(
  schema: StructuralSchema,
  isObject: boolean,
  preserves: boolean,
): (value: Record<string, unknown>, run: PruneRun) => unknown {
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, compilePruning(property)]));
  const { additionalProperties } = schema;
  const other =
    typeof additionalProperties === 'object'
      ? compilePruning(additionalProperties)
      : additionalProperties === true
        ? nothingKnown
        : undefined;
  const prunerOf = (key: string): Pruning | undefined => {
    if (isObject && TYPE_META.has(key)) return key === 'metadata' ? decodedMeta : typeName;
    return properties.get(key) ?? other ?? (preserves ? keep : undefined);
  };
  return (value, run) => {
    let out: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      const pruner = prunerOf(key);
      if (!pruner) {
        recordUnknown(run, key);
        out ??= { ...value };
        delete out[key];
        continue;
      }
      if (pruner === keep) continue;
      run.path.push(pruner === other ? { key } : key);
      const after = pruner(value[key], run);
      run.path.pop();
      if (after === value[key]) continue;
      out ??= { ...value };
      setOwn(out, key, after);
    }
    return out ?? value;
  };
}

const keep: Pruning = (value) => value;

const typeName: Pruning = (value, run) => {
  if (typeof value !== 'string' && run.path.length > 1)
    run.malformed.push(fieldErrorText(fieldError.invalid(fieldPath(run.path), value, 'must be a string')));
  return value;
};

const decodedMeta: Pruning = (value, run) => {
  const problem = malformedMeta(value);
  if (problem === undefined) return knownMeta(value, (name) => recordUnknown(run, name));
  run.malformed.push(run.path.length > 1 ? fieldErrorText(fieldError.invalid(fieldPath(run.path), value, problem)) : problem);
  return value;
};
