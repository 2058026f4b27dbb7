import { matchCost } from '../cost.js';
import { compileRegex } from '../regex/index.js';
import { deepEqual } from '../patch/equal.js';
import { fieldError } from './field-error.js';
import { formatNamed } from './formats.js';
import { goFloat, goJson, goQuote, isInt64 } from './go-format.js';
import { bodyField, bodyPath, type Check, type Run } from './run.js';
import type { FieldError, StructuralSchema } from './types.js';

/** Reports an error at the current path. Calls `make` with the field, and with the same path in the schema validator's notation. */
export function report(run: Run, make: (field: string, place: string) => FieldError): void {
  const place = bodyPath(run.path);
  run.schemaErrors.push(make(bodyField(place), place));
}

export function invalid(run: Run, value: unknown, detail: string): void {
  report(run, (field, place) => fieldError.invalid(field, value, `${place} in body ${detail}`));
}

function wrongType(run: Run, wanted: string, found: string): number {
  report(run, (field, place) => fieldError.typeInvalid(field, found, `${place} in body must be of type ${wanted}: ${goQuote(found)}`));
  return 0;
}

type JsonType = NonNullable<StructuralSchema['type']>;

function typeOf(value: unknown): JsonType {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

/** Returns the API server's name for the format of a decoded number; empty for other types. */
function formatOf(type: JsonType): string {
  return type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
}

export function typesOf(schema: StructuralSchema): readonly JsonType[] {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

/** Checks the declared type. The format of strings and lists is checked separately. */
export function typeCheck(schema: StructuralSchema): Check | undefined {
  const types = typesOf(schema);
  const format = formatNamed(schema.format) ? schema.format : undefined;
  if (types.length === 0 && format === undefined) return undefined;
  const names = types.join(',');
  const numeric = types.includes('integer') || types.includes('number');
  return (value, _old, run) => {
    const found = typeOf(value);
    if (types.includes(found) || (found === 'integer' && types.includes('number'))) return 1;
    const textual = found === 'string' || found === 'array';
    if (format !== undefined && !textual) return wrongType(run, format, formatOf(found));
    if (format !== undefined && textual && !numeric) return 1;
    return wrongType(run, names, found);
  };
}

/** Checks a null. The schema must be nullable, and its enum, if it has one, must contain null. */
export function nullCheck(schema: StructuralSchema): Check {
  const types = typesOf(schema);
  const names = types.join(',');
  const enumeration = enumCheck(schema);
  return (value, old, run) => {
    const passed = types.length > 0 && !schema.nullable ? wrongType(run, names, 'null') : 1;
    enumeration?.(value, old, run);
    return passed;
  };
}

export function enumCheck({ enum: allowed }: StructuralSchema): Check | undefined {
  if (allowed === undefined || allowed.length === 0) return undefined;
  const scalars = new Set<unknown>(allowed.filter((value) => value !== null && typeof value !== 'object'));
  const others = allowed.filter((value) => value !== null && typeof value === 'object');
  const names = allowed.map((value) => (typeof value === 'string' ? value : goJson(value)));
  return (value, _old, run) => {
    if (scalars.has(value) || others.some((other) => deepEqual(other, value))) return 0;
    report(run, (field) => fieldError.unsupported(field, value, names));
    return 0;
  };
}

/** Checks the length and pattern of a string. Only the first failure is reported. */
export function stringCheck({ minLength, maxLength, pattern }: StructuralSchema): Check | undefined {
  if (minLength === undefined && maxLength === undefined && !pattern) return undefined;
  const regex = pattern ? compileRegex(pattern) : undefined;
  return (value, _old, run) => {
    const text = value as string;
    if (maxLength !== undefined && runesExceed(text, maxLength)) report(run, (field) => fieldError.tooLong(field, maxLength));
    else if (minLength !== undefined && minLength > 0 && !runesExceed(text, minLength - 1))
      invalid(run, text, `should be at least ${minLength} chars long`);
    else if (regex && !run.patternCost.take(matchCost(text.length, regex.programSize)))
      invalid(run, text.slice(0, 100), `costs more to compare with '${pattern}' than one object may: shorten the texts, or the pattern`);
    else if (regex && !regex.test(text)) invalid(run, text, `should match '${pattern}'`);
    return 0;
  };
}

function runesExceed(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max + 1) return true;
  let runes = 0;
  for (const _ of text) runes++;
  return runes > max;
}

export function formatCheck(schema: StructuralSchema): Check | undefined {
  const holds = formatNamed(schema.format);
  if (!holds) return undefined;
  return (value, _old, run) => {
    const text = value as string;
    if (holds(text)) return 0;
    report(run, (field, place) =>
      fieldError.typeInvalid(field, text, `${place} in body must be of type ${schema.format}: ${goQuote(text)}`),
    );
    return 0;
  };
}

/** Checks the bounds of a number. Integers are compared with the bound's integer part, as the API server does. */
export function numberCheck(schema: StructuralSchema): Check | undefined {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  if (multipleOf === undefined && minimum === undefined && maximum === undefined) return undefined;
  return (value, _old, run) => {
    const number = value as number;
    const isInteger = isInt64(number);
    const bound = (limit: number): number => (isInteger ? Math.trunc(limit) : limit);
    const shown = (limit: number): string => (isInteger ? String(Math.trunc(limit)) : goFloat(limit));
    if (multipleOf !== undefined && !isMultiple(number, bound(multipleOf)))
      invalid(run, number, `should be a multiple of ${shown(multipleOf)}`);
    if (minimum !== undefined && (exclusiveMinimum ? number <= bound(minimum) : number < bound(minimum)))
      invalid(run, number, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${shown(minimum)}`);
    if (maximum !== undefined && (exclusiveMaximum ? number >= bound(maximum) : number > bound(maximum)))
      invalid(run, number, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${shown(maximum)}`);
    return 0;
  };
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}
