import { deepFreeze } from '../patch/equal.js';
import { setOwn } from '../patch/own.js';
import { ApiError } from '../errors.js';
import { isJsonObject } from '../json.js';
import { jsonSize } from '../json-size.js';
import type { StructuralSchema } from './types.js';

/**
 * The maximum size of the JSON that defaults may add to one object. It equals the maximum size of a request; a larger object could not be
 * stored.
 */
const MAX_ADDED = 3 * 1024 * 1024;

export interface DefaultRun {
  /** The size that defaults have added to the object. */
  added: number;
  /** Whether a null that has no default and is not allowed stays, so that validation reports it. */
  readonly keepsNulls?: boolean;
}

/** Fills in defaults. Returns the value itself if there is nothing to default. */
export type Defaulting = (value: unknown, run: DefaultRun) => unknown;

/** The compiled defaults of a member or item. `default` also replaces a null that is not allowed. */
interface Child {
  readonly nullable: boolean;
  readonly default: unknown;
  /** The size of the default as JSON. A shared value counts each time it is used. */
  readonly size: number;
  readonly apply: Defaulting | undefined;
}

/**
 * Compiles the defaults of a schema. A default fills a missing member of an object that exists (or was itself defaulted). It also replaces
 * a null that the schema does not allow. If such a null has no default, a null item is kept, and a null member is dropped unless the run
 * keeps nulls. Returns undefined if the schema has no effect on any value.
 */
export function compileDefaulting(schema: StructuralSchema): Defaulting | undefined {
  const members = memberDefaulting(schema);
  const items = itemDefaulting(schema);
  if (!members) return items;
  if (!items) return members;
  return (value, run) => (Array.isArray(value) ? items(value, run) : members(value, run));
}

function childOf(schema: StructuralSchema): Child {
  const apply = compileDefaulting(schema);
  // The default is computed once and shared by all objects that use it, so it is frozen.
  const whole = schema.default === undefined ? undefined : deepFreeze(structuredClone(schema.default) as unknown);
  const filled = apply && whole !== undefined ? deepFreeze(apply(whole, { added: 0 })) : whole;
  return { nullable: schema.nullable ?? false, default: filled, size: jsonSize(filled, MAX_ADDED), apply };
}

function defaultedChild(child: Child, value: unknown, run: DefaultRun): unknown {
  if (value === null) return child.nullable || (run.keepsNulls && child.default === undefined) ? null : used(child, run);
  return child.apply ? child.apply(value, run) : value;
}

function used(child: Child, run: DefaultRun): unknown {
  run.added += child.size;
  if (run.added > MAX_ADDED)
    throw new ApiError('RequestEntityTooLarge', `Request entity too large: defaults add more than ${MAX_ADDED} bytes`);
  return child.default;
}

function memberDefaulting({ properties = {}, additionalProperties }: StructuralSchema): Defaulting | undefined {
  const children = new Map(Object.entries(properties).map(([name, property]) => [name, childOf(property)]));
  const other = typeof additionalProperties === 'object' ? childOf(additionalProperties) : undefined;
  if (children.size === 0 && !other) return undefined;
  const fillers = [...children].filter(([, child]) => child.default !== undefined && child.default !== null);
  return (value, run) => {
    if (!isJsonObject(value)) return value;
    let out: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      const child = children.get(key) ?? other;
      const before = value[key];
      if (!child || before === undefined) continue;
      const after = defaultedChild(child, before, run);
      if (after === before) continue;
      out ??= { ...value };
      if (after === undefined) delete out[key];
      else setOwn(out, key, after);
    }
    for (const [name, child] of fillers) {
      if (Object.hasOwn(value, name) && value[name] !== undefined) continue;
      out ??= { ...value };
      setOwn(out, name, used(child, run));
    }
    return out ?? value;
  };
}

function itemDefaulting({ items }: StructuralSchema): Defaulting | undefined {
  if (!items) return undefined;
  const child = childOf(items);
  if (!child.apply && child.default === undefined) return undefined;
  return (value, run) => {
    if (!Array.isArray(value)) return value;
    let out: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const after = defaultedChild(child, value[i], run) ?? null;
      if (after === value[i]) continue;
      out ??= value.slice();
      out[i] = after;
    }
    return out ?? (value as readonly unknown[]);
  };
}
