import { type JsonMap } from '../json.js';
import { hasMapList, isUnchanged, itemCorrelation } from './correlate.js';
import { embeddedCheck } from './embedded.js';
import { fieldError } from './field-error.js';
import { uniquenessCheck } from './list-types.js';
import { type Check, bodyField, bodyPath, type Run, type Segment } from './run.js';
import { invalid, report } from './scalar-checks.js';
import type { StructuralSchema } from './types.js';

type Compile = (schema: StructuralSchema) => Check;

/** Checks one member or item at its path. Errors in a value that the update did not change are tolerated. */
function descend(run: Run, segment: Segment, child: Child, value: unknown, old: unknown): number {
  if (value === old && old !== undefined && child.toleratesOld && run.alternatives === 0) return 0;
  const found = run.schemaErrors.length;
  const changedBefore = run.changed;
  run.changed = false;
  run.path.push(segment);
  const passed = child.check(value, old, run);
  run.path.pop();
  if (run.schemaErrors.length > found) ratchet(run, found, child.schema, value, old);
  run.changed ||= changedBefore;
  return passed;
}

/**
 * Drops the errors reported since `found` if the value is unchanged. If a part has changed, all values that contain the part count as
 * changed.
 */
export function ratchet(run: Run, found: number, schema: StructuralSchema, value: unknown, old: unknown): void {
  if (old === undefined) return;
  if (!run.changed && isUnchanged(schema, value, old)) run.schemaErrors.length = found;
  else run.changed = true;
}

interface Child {
  readonly schema: StructuralSchema;
  readonly check: Check;
  /**
   * Whether all errors in an unchanged value are tolerated. If so, the value is not checked, unless it is inside alternatives, which count
   * the passed checks. Duplicates in lists are tolerated, because the old value also has them. The errors of embedded objects are not
   * tolerated. Lists of type map are excluded because their items are compared one by one.
   */
  readonly toleratesOld: boolean;
}

function childOf(schema: StructuralSchema, compile: Compile): Child {
  return { schema, check: compile(schema), toleratesOld: !hasEmbedded(schema) && !hasMapList(schema) };
}

const embedding = new WeakMap<StructuralSchema, boolean>();

function hasEmbedded(schema: StructuralSchema): boolean {
  const known = embedding.get(schema);
  if (known !== undefined) return known;
  const inside = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const found =
    schema['x-kubernetes-embedded-resource'] === true ||
    inside.some((part) => typeof part === 'object' && part !== null && hasEmbedded(part));
  embedding.set(schema, found);
  return found;
}

export function listCheck(schema: StructuralSchema, compile: Compile): Check {
  const { items, minItems, maxItems } = schema;
  const child = items && childOf(items, compile);
  const correlate = itemCorrelation(schema);
  const uniqueness = uniquenessCheck(schema);
  return (value, old, run) => {
    const list = value as readonly unknown[];
    let passed = 1;
    if (child) {
      const oldItemOf = old === undefined ? undefined : correlate?.(old);
      for (let i = 0; i < list.length; i++) passed += descend(run, i, child, list[i], oldItemOf?.(list[i]));
    }
    if (minItems !== undefined && list.length < minItems) invalid(run, list.length, `should have at least ${minItems} items`);
    if (maxItems !== undefined && list.length > maxItems) report(run, (field) => fieldError.tooMany(field, list.length, maxItems));
    uniqueness?.(list, run);
    return passed;
  };
}

export function objectCheck(schema: StructuralSchema, compile: Compile): Check {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const children = new Map<string, Child>(Object.entries(properties).map(([name, property]) => [name, childOf(property, compile)]));
  const other = typeof additionalProperties === 'object' ? childOf(additionalProperties, compile) : undefined;
  const closed = additionalProperties === false;
  const size = sizeCheck(schema);
  const embedded = schema['x-kubernetes-embedded-resource'] ? embeddedCheck : undefined;
  return (value, old, run) => {
    const map = value as JsonMap;
    const oldMap = typeof old === 'object' && old !== null && !Array.isArray(old) ? (old as JsonMap) : undefined;
    let passed = 0;
    embedded?.(map, run);
    size?.(map, run);
    for (const key of Object.keys(map)) {
      const oldValue = oldMap !== undefined && Object.hasOwn(oldMap, key) ? oldMap[key] : undefined;
      const child = children.get(key);
      // The apiVersion and kind of a root are those of the request, so the old and new values are always equal.
      if (child) passed += descend(run, key, child, map[key], run.path.length === 0 && isTypeMeta(key) ? undefined : oldValue);
      else if (other) passed += descend(run, { key }, other, map[key], oldValue);
      else if (closed) reportForbidden(run, key);
    }
    for (const name of required) if (!Object.hasOwn(map, name) || map[name] === undefined) reportRequired(run, name);
    return passed;
  };
}

function isTypeMeta(key: string): boolean {
  return key === 'apiVersion' || key === 'kind';
}

function sizeCheck({ minProperties, maxProperties }: StructuralSchema): ((map: JsonMap, run: Run) => void) | undefined {
  if (minProperties === undefined && maxProperties === undefined) return undefined;
  return (map, run) => {
    const size = Object.keys(map).length;
    if (minProperties !== undefined && size < minProperties) invalid(run, size, `should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && size > maxProperties) report(run, (field) => fieldError.tooMany(field, size, maxProperties));
  };
}

function reportRequired(run: Run, name: string): void {
  run.schemaErrors.push(fieldError.required(bodyField(`${bodyPath(run.path)}.${name}`)));
}

function reportForbidden(run: Run, key: string): void {
  report(run, (field, place) => fieldError.invalid(field, key, `${place}.${key} in body is a forbidden property`));
}
