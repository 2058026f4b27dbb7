import { fieldError } from './field-error.js';
import { ruleProblems, ruleTextProblems, type SchemaContext } from './rule-declarations.js';
import type { FieldError, RuleCompiler, StructuralSchema } from './types.js';

const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);
/** The parts of JSON Schema that Kubernetes does not support. */
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

/** Returns the errors in single parts of a schema: unknown types, extensions that contradict their schema, rules that do not compile. */
export function declarationProblems(schema: StructuralSchema, path: string, rules: RuleCompiler | undefined): FieldError[] {
  return problemsOf(schema, path, { rules, isRoot: true, noDefaults: undefined, uncorrelatable: undefined });
}

function problemsOf(schema: StructuralSchema, path: string, context: SchemaContext): FieldError[] {
  const inside = { ...context, isRoot: false };
  const inAlternatives = { ...inside, rules: undefined };
  const { items, additionalProperties, properties = {} } = schema;
  const isGranularList = schema['x-kubernetes-list-type'] === 'map';
  const below = [
    ...(typeof additionalProperties === 'object' ? problemsOf(additionalProperties, `${path}.additionalProperties`, inside) : []),
    ...Object.entries(properties).flatMap(([name, property]) =>
      problemsOf(
        property,
        `${path}.properties[${name}]`,
        context.isRoot && isMeta(name) ? { ...inside, noDefaults: `in top-level ${name}` } : inside,
      ),
    ),
    ...(schema.not ? problemsOf(schema.not, `${path}.not`, inAlternatives) : []),
    ...(['allOf', 'oneOf', 'anyOf'] as const).flatMap((name) =>
      (schema[name] ?? []).flatMap((part, i) => problemsOf(part, `${path}.${name}[${i}]`, inAlternatives)),
    ),
    ...(items
      ? problemsOf(items, `${path}.items`, isGranularList ? inside : { ...inside, uncorrelatable: inside.uncorrelatable ?? path })
      : []),
  ];
  const own = [...plainProblems(schema, path, context), ...listProblems(schema, path), ...ruleTextProblems(schema, path)];
  const isSound = own.length === 0 && below.length === 0;
  return [...own, ...below, ...(isSound && context.rules ? ruleProblems(schema, path, context, context.rules) : [])];
}

function isMeta(name: string): boolean {
  return name === 'metadata' || name === 'kind' || name === 'apiVersion';
}

function plainProblems(schema: StructuralSchema, path: string, { noDefaults }: SchemaContext): FieldError[] {
  const { type, additionalProperties, properties = {} } = schema;
  const problems: FieldError[] = [];
  if (type && !TYPES.has(type)) problems.push(fieldError.unsupported(`${path}.type`, type, [...TYPES]));
  if (schema.default !== undefined && noDefaults) problems.push(fieldError.forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  for (const name of UNSUPPORTED)
    if (Object.hasOwn(schema, name)) problems.push(fieldError.forbidden(`${path}.${name}`, `${name} is not supported`));
  if (Array.isArray(schema.items)) problems.push(fieldError.forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  if (schema.uniqueItems)
    problems.push(
      fieldError.forbidden(`${path}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'),
    );
  if (additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0)
    problems.push(fieldError.forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    problems.push(fieldError.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  return problems;
}

function listProblems(schema: StructuralSchema, path: string): FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const problems: FieldError[] = [];
  if (mapType && schema.type !== 'object') problems.push(wrongType(schema, path, 'must be object if x-kubernetes-map-type is specified'));
  if (mapType && !['atomic', 'granular'].includes(mapType))
    problems.push(fieldError.unsupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  if (listType && schema.type !== 'array') problems.push(wrongType(schema, path, 'must be array if x-kubernetes-list-type is specified'));
  else if (listType === 'set' && schema.items) problems.push(...setItemProblems(schema.items, `${path}.items`));
  if (listType && !['atomic', 'set', 'map'].includes(listType))
    problems.push(fieldError.unsupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  if (keys.length > 0 && listType !== 'map') {
    const words = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    problems.push(listType ? fieldError.invalid(field, listType, words) : fieldError.required(field, words));
  }
  return [...problems, ...(listType === 'map' ? mapListProblems(schema, keys, path) : []), ...keyProblems(schema, keys, path)];
}

function wrongType({ type }: StructuralSchema, path: string, words: string): FieldError {
  return type ? fieldError.invalid(`${path}.type`, type, words) : fieldError.required(`${path}.type`, words);
}

/** Checks the items of a set. They are compared as a whole, so they must be atomic. */
function setItemProblems(items: StructuralSchema, path: string): FieldError[] {
  const words = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType && listType !== 'atomic')
    return [fieldError.invalid(`${path}.x-kubernetes-list-type`, listType, words)];
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [fieldError.invalid(`${path}.x-kubernetes-map-type`, listType ?? null, words)];
  return [];
}

function mapListProblems({ items }: StructuralSchema, keys: readonly string[], path: string): FieldError[] {
  const field = `${path}.x-kubernetes-list-map-keys`;
  const problems: FieldError[] = [];
  if (keys.length === 0) problems.push(fieldError.required(field, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) return [...problems, fieldError.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  if (items.type !== 'object') {
    const words = "must be object if parent array's x-kubernetes-list-type is map";
    return [...problems, fieldError.invalid(`${path}.items.type`, items.type ?? '', words)];
  }
  for (const [i, key] of keys.entries()) {
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (!property) problems.push(fieldError.invalid(field, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const words = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      problems.push(fieldError.invalid(`${path}.items.properties[${key}].type`, items.type, words));
    }
    if (keys.indexOf(key) < i) problems.push(fieldError.invalid(field, keys, 'must not contain duplicate entries'));
  }
  return problems;
}

/** Checks the key fields. Without its keys, an item could not be distinguished from others. */
function keyProblems(schema: StructuralSchema, keys: readonly string[], path: string): FieldError[] {
  const { items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  if (!items) return [];
  const problems: FieldError[] = [];
  if (items.nullable && (listType === 'map' || listType === 'set'))
    problems.push(fieldError.forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  if (listType !== 'map') return problems;
  for (const key of keys) {
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (!property || items.required?.includes(key)) {
      if (property?.nullable) problems.push(nullableKey(path, key));
      continue;
    }
    const words = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
    if (property.default === undefined) problems.push(fieldError.required(`${path}.items.properties[${key}].default`, words));
    if (property.nullable) problems.push(nullableKey(path, key));
  }
  return problems;
}

function nullableKey(path: string, key: string): FieldError {
  return fieldError.forbidden(
    `${path}.items.properties[${key}].nullable`,
    'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
  );
}
