import { compileRegex } from '../regex/index.js';
import { errorMessage } from '../errors.js';
import { deepEqual } from '../patch/equal.js';
import { fieldError } from './field-error.js';
import type { FieldError, StructuralSchema } from './types.js';

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/**
 * Returns the reasons why a schema is not structural. In a structural schema, every value has one type, declared outside of alternatives.
 */
export function invariantProblems(schema: StructuralSchema, path: string, level: Level = 'root'): FieldError[] {
  const { items, properties = {}, additionalProperties } = schema;
  return [
    ...(schema.type === 'array' && !items ? [fieldError.required(`${path}.items`, 'must be specified')] : []),
    ...(items ? invariantProblems(items, `${path}.items`, 'item') : []),
    ...Object.entries(properties).flatMap(([name, property]) => invariantProblems(property, `${path}.properties[${name}]`, 'field')),
    ...(additionalProperties !== undefined && level === 'root'
      ? [fieldError.forbidden(`${path}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...(typeof additionalProperties === 'object' ? invariantProblems(additionalProperties, `${path}.additionalProperties`, 'field') : []),
    ...extensionProblems(schema, path),
    ...alternativeProblems(schema, path, {
      skipAnyOf: isIntOrString(schema.anyOf),
      skipFirstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf),
    }),
    ...typeProblems(schema, path, level),
    ...objectProblems(schema, path, level),
  ];
}

function isIntOrString(alternatives: readonly StructuralSchema[] | undefined): boolean {
  return deepEqual(alternatives, [{ type: 'integer' }, { type: 'string' }]);
}

function extensionProblems(schema: StructuralSchema, path: string): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => schema[name])
    .map((name) => fieldError.invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

function typeProblems(schema: StructuralSchema, path: string, level: Level): FieldError[] {
  const { type } = schema;
  const problems: FieldError[] = [];
  if (schema['x-kubernetes-embedded-resource'] && type !== 'object') {
    const words = 'must be object if x-kubernetes-embedded-resource is true';
    problems.push(type ? fieldError.invalid(`${path}.type`, type, words) : fieldError.required(`${path}.type`, words));
  } else if (!type && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields'])
    problems.push(fieldError.required(`${path}.type`, EMPTY_TYPE[level]));
  if (level === 'root' && type && type !== 'object') problems.push(fieldError.invalid(`${path}.type`, type, 'must be object at the root'));
  return problems;
}

/** Checks whole and embedded objects, whose apiVersion, kind and metadata are predefined. */
function objectProblems(schema: StructuralSchema, path: string, level: Level): FieldError[] {
  const { properties = {}, additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const problems: FieldError[] = [];
  if (isEmbedded && additionalProperties !== undefined)
    problems.push(fieldError.forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
  if (level === 'root' || isEmbedded) {
    for (const [name, type] of [
      ['kind', 'string'],
      ['apiVersion', 'string'],
      ['metadata', 'object'],
    ] as const) {
      const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (found && found.type !== type)
        problems.push(fieldError.invalid(`${path}.properties[${name}].type`, found.type ?? '', `must be ${type}`));
    }
  }
  if (level === 'root' && properties['metadata'] && !isPlainMetadata(properties['metadata'])) {
    const words = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    problems.push(fieldError.forbidden(`${path}.properties[metadata]`, words));
  }
  if (isEmbedded && !schema['x-kubernetes-preserve-unknown-fields'] && Object.keys(properties).length === 0) {
    const words = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    problems.push(fieldError.required(`${path}.properties`, words));
  }
  return problems;
}

function isPlainMetadata({ type: _, default: __, properties = {}, ...rest }: StructuralSchema): boolean {
  return Object.keys(properties).every((name) => name === 'name' || name === 'generateName') && Object.keys(rest).length === 0;
}

interface Skips {
  readonly skipAnyOf: boolean;
  readonly skipFirstAllOf: boolean;
}
const NO_SKIPS: Skips = { skipAnyOf: false, skipFirstAllOf: false };

function alternativeProblems(schema: StructuralSchema, path: string, { skipAnyOf, skipFirstAllOf }: Skips): FieldError[] {
  const nested = (parts: readonly StructuralSchema[] | undefined, name: string): FieldError[] =>
    (parts ?? []).flatMap((part, i) => {
      const inPattern = name === 'allOf' && i === 0 && skipFirstAllOf;
      return nestedProblems(part, `${path}.${name}[${i}]`, inPattern ? { skipAnyOf: true, skipFirstAllOf: false } : NO_SKIPS);
    });
  return [
    ...(skipAnyOf ? [] : nested(schema.anyOf, 'anyOf')),
    ...nested(schema.allOf, 'allOf'),
    ...nested(schema.oneOf, 'oneOf'),
    ...(schema.not ? nestedProblems(schema.not, `${path}.not`, NO_SKIPS) : []),
    ...patternProblems(schema, path),
  ];
}

function patternProblems({ pattern }: StructuralSchema, path: string): FieldError[] {
  if (!pattern) return [];
  try {
    compileRegex(pattern);
    return [];
  } catch (error) {
    // Use the cause of the regex compiler's error: the error's own message contains the pattern, which the field error already shows as its
    // value.
    const problem = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return [fieldError.invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${errorMessage(problem)}`)];
  }
}

/** The fields that alternatives may not set, with the API server's messages for them. */
const NOT_IN_ALTERNATIVES: readonly (readonly [keyof StructuralSchema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);
}

function nestedProblems(part: StructuralSchema, path: string, skips: Skips): FieldError[] {
  return [
    ...alternativeProblems(part, path, skips),
    ...(part.items ? nestedProblems(part.items, `${path}.items`, NO_SKIPS) : []),
    ...Object.entries(part.properties ?? {}).flatMap(([name, property]) =>
      nestedProblems(property, `${path}.properties[${name}]`, NO_SKIPS),
    ),
    ...NOT_IN_ALTERNATIVES.filter(([name]) => isSaid(part[name])).map(([name, words]) => fieldError.forbidden(`${path}.${name}`, words)),
    ...(Object.hasOwn(part.properties ?? {}, 'metadata')
      ? [fieldError.forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')]
      : []),
  ];
}

/** Checks that alternatives contain only fields that are declared outside of them. */
export function completenessProblems(schema: StructuralSchema, path: string): FieldError[] {
  return alternatives(schema, path).flatMap(([part, place]) => missingIn(schema, path, part, place));
}

function alternatives(part: StructuralSchema, path: string): (readonly [StructuralSchema, string])[] {
  return [
    ...(part.not ? [[part.not, `${path}.not`] as const] : []),
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
      (part[name] ?? []).map((inner, i) => [inner, `${path}.${name}[${i}]`] as const),
    ),
  ];
}

function missingIn(schema: StructuralSchema | undefined, path: string, part: StructuralSchema, place: string): FieldError[] {
  if (!schema) return [fieldError.required(path, `because it is defined in ${place}`)];
  return [
    ...alternatives(part, place).flatMap(([inner, innerPlace]) => missingIn(schema, path, inner, innerPlace)),
    ...(part.items ? missingIn(schema.items, `${path}.items`, part.items, `${place}.items`) : []),
    ...Object.entries(part.properties ?? {}).flatMap(([name, property]) => {
      const declared = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      return missingIn(declared, `${path}.properties[${name}]`, property, `${place}.properties[${name}]`);
    }),
  ];
}
