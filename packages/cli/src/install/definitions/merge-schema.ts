import { type Json, type JsonObject, deepEqual, defined, isJsonObject, objectOrEmpty } from '@outrigger/core';

/** A part of our schema whose type differs from that in the installed CRD. The merge keeps the installed part. */
export interface SchemaConflict {
  /** The path of the field, such as `spec.installStrategy.placements[].addonTemplate`. */
  readonly path: string;
  readonly text: string;
}

export interface MergedSchema {
  readonly schema: JsonObject;
  readonly conflicts: readonly SchemaConflict[];
}

export interface MergeSchemaOptions {
  /** The schema whose rules, defaults and bounds apply to a field that both schemas have. */
  readonly prefer: 'installed' | 'ours';
  /** Whether fields that only our schema has keep their CEL rules. */
  readonly withRules: boolean;
}

/**
 * Returns a schema with every field and enum value of both schemas. The installed schema is never narrowed. With `prefer: 'installed'`, a
 * field that both schemas have keeps the installed type, bounds, default and rules; only a `required` that our schema does not have is
 * dropped.
 */
export function mergeSchema(installed: JsonObject, ours: JsonObject, options: MergeSchemaOptions): MergedSchema {
  const conflicts: SchemaConflict[] = [];
  const schema = mergeNode(installed, ours, { options, path: '', keys: [], conflicts });
  return { schema, conflicts };
}

interface Place {
  readonly options: MergeSchemaOptions;
  readonly path: string;
  /** The keys of the list-map whose items this schema describes. The API server demands that these keys are required or have a default. */
  readonly keys: readonly string[];
  readonly conflicts: SchemaConflict[];
}

const RULES = 'x-kubernetes-validations';
const OPEN = 'x-kubernetes-preserve-unknown-fields';

function mergeNode(installed: JsonObject, ours: JsonObject, place: Place): JsonObject {
  const base = place.options.prefer === 'ours' ? ours : installed;
  // An installed schema that accepts every field already accepts our fields, and adding properties would narrow the schema.
  if (installed[OPEN] === true) return base;
  if (shapeOf(installed) !== shapeOf(ours)) {
    if (base === installed)
      place.conflicts.push({ path: place.path, text: `is ${shapeOf(installed)} here, ${shapeOf(ours)} in our definition` });
    return base;
  }
  return defined({
    ...base,
    ...mergedProperties(installed, ours, place),
    ...mergedChild('items', '[]', installed, ours, { ...place, keys: stringsOf(installed['x-kubernetes-list-map-keys']) }),
    ...mergedChild('additionalProperties', '{}', installed, ours, place),
    enum: mergedEnum(installed, ours, place),
  });
}

/** Returns the type of value that a schema describes. Only schemas of the same type can be merged. */
function shapeOf(schema: JsonObject): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'an integer or a string';
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'a value of any type';
  return type === 'object' && schema['additionalProperties'] !== undefined ? 'a map' : type;
}

function mergedProperties(installed: JsonObject, ours: JsonObject, place: Place): JsonObject {
  const theirs = objectOrEmpty(installed['properties']);
  const own = objectOrEmpty(ours['properties']);
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(own)])];
  if (names.length === 0) return {};
  const properties = Object.fromEntries(
    names.map((name) => {
      const path = place.path === '' ? name : `${place.path}.${name}`;
      const [left, right] = [theirs[name], own[name]];
      if (!isJsonObject(left)) return [name, added(right, place.options)];
      return [name, isJsonObject(right) ? mergeNode(left, right, { ...place, path, keys: [] }) : left];
    }),
  );
  return { properties, required: mergedRequired(installed, ours, own, place) };
}

/**
 * Returns the fields that both schemas require, or that the installed one requires and ours does not have, so that an object that either
 * schema accepted stays valid. List-map keys stay required. With `prefer: 'ours'`, fields that only ours requires are added.
 */
function mergedRequired(installed: JsonObject, ours: JsonObject, own: JsonObject, { options, keys }: Place): readonly string[] | undefined {
  const theirs = stringsOf(installed['required']);
  const mine = stringsOf(ours['required']);
  const kept = theirs.filter((name) => keys.includes(name) || own[name] === undefined || mine.includes(name));
  // A later release of our own CRD may require fields that the earlier one did not.
  const more = options.prefer === 'ours' ? mine.filter((name) => !kept.includes(name)) : [];
  return kept.length + more.length > 0 ? [...kept, ...more] : undefined;
}

function mergedChild(
  field: 'items' | 'additionalProperties',
  suffix: string,
  installed: JsonObject,
  ours: JsonObject,
  place: Place,
): JsonObject {
  const [left, right] = [installed[field], ours[field]];
  if (!isJsonObject(left) || !isJsonObject(right)) return left === undefined ? {} : { [field]: left };
  return { [field]: mergeNode(left, right, { ...place, path: `${place.path}${suffix}` }) };
}

/**
 * Returns the enum values of both schemas. Returns undefined, which accepts every value, if the installed schema has no enum, or if our
 * schema is preferred and has no enum.
 */
function mergedEnum(installed: JsonObject, ours: JsonObject, { options }: Place): readonly Json[] | undefined {
  const [theirs, own] = [installed['enum'], ours['enum']];
  if (!isList(theirs) || (options.prefer === 'ours' && !isList(own))) return undefined;
  return [...theirs, ...(isList(own) ? own : []).filter((value) => !theirs.some((one) => deepEqual(one, value)))];
}

/**
 * Returns the schema of a field that only our CRD has. Without `withRules` its CEL rules are removed, because they may exceed the API
 * server's cost limit inside a list for which the installed CRD sets no maxItems.
 */
function added(schema: Json | undefined, { withRules }: MergeSchemaOptions): Json | undefined {
  if (withRules || !isJsonObject(schema)) return schema;
  const { [RULES]: _, ...rest } = schema;
  const withoutRules = { withRules, prefer: 'ours' } as const;
  return {
    ...rest,
    ...(isJsonObject(rest['properties'])
      ? { properties: Object.fromEntries(Object.entries(rest['properties']).map(([name, child]) => [name, added(child, withoutRules)])) }
      : {}),
    ...(isJsonObject(rest['items']) ? { items: added(rest['items'], withoutRules) } : {}),
    ...(isJsonObject(rest['additionalProperties']) ? { additionalProperties: added(rest['additionalProperties'], withoutRules) } : {}),
  };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function stringsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter((one): one is string => typeof one === 'string') : [];
}
