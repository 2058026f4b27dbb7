import { parseQuantity, parseTime, toTime } from '@outrigger/core';
import type { StructuralSchema } from '@outrigger/core/schema';
import { isMicroTime } from './builtin-schemas.js';
import { isFields } from './draft.js';

/** Rewrites values in place. Throws an error with a Go server's message if the value cannot be decoded. */
export type Normalize = (value: unknown) => void;

type Rewrite = (value: unknown) => unknown;
type InObject = (object: Record<string, unknown>) => void;

/** Functions that rewrite or check a value as a Go server does when it decodes the value. */
const REWRITES: Readonly<Record<string, Rewrite>> = {
  quantity: canonicalQuantity,
  base64: checkedBase64,
  int32: checkedInteger('int32', -(2 ** 31), 2 ** 31 - 1),
  int64: checkedInteger('int64', -(2 ** 63), 2 ** 63 - 1024),
};

/**
 * Compiles the changes that decoding makes to an object: quantities get their canonical form (`0.5` → `500m`), bytes must be base64, times
 * with microseconds are converted to UTC, integers must fit the declared format, and nulls in a map of strings become empty strings.
 * Returns undefined if the schema contains none of these.
 */
export function compileNormalize(schema: StructuralSchema): Normalize | undefined {
  const { additionalProperties, items } = schema;
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => memberOf(name, part));
  const others = typeof additionalProperties === 'object' ? eachMember(additionalProperties) : undefined;
  const list = items && eachItem(items);
  if (members.length === 0 && !others && !list) return undefined;
  return (value) => {
    if (Array.isArray(value)) list?.(value);
    else if (isFields(value)) {
      for (const member of members) member(value);
      others?.(value);
    }
  };
}

function memberOf(name: string, schema: StructuralSchema): InObject[] {
  const rewrite = rewriteOf(schema);
  if (rewrite) {
    return [
      (object) => {
        if (object[name] !== undefined && object[name] !== null) object[name] = rewrite(object[name]);
      },
    ];
  }
  const inner = compileNormalize(schema);
  return inner ? [(object) => inner(object[name])] : [];
}

function eachMember(schema: StructuralSchema): InObject | undefined {
  const rewrite = rewriteOf(schema);
  if (schema.type === 'string' && !rewrite) return nullsAsEmpty;
  if (rewrite) {
    return (object) => {
      for (const [name, value] of Object.entries(object)) if (value !== null) object[name] = rewrite(value);
    };
  }
  const inner = compileNormalize(schema);
  return inner && ((object) => Object.values(object).forEach(inner));
}

/** Replaces null with the empty string, as decoding a map of strings does. */
function nullsAsEmpty(object: Record<string, unknown>): void {
  for (const name in object) if (object[name] === null) object[name] = '';
}

function eachItem(schema: StructuralSchema): ((list: unknown[]) => void) | undefined {
  const rewrite = rewriteOf(schema);
  if (rewrite) {
    return (list) => {
      for (const [i, item] of list.entries()) if (item !== null) list[i] = rewrite(item);
    };
  }
  const inner = compileNormalize(schema);
  return inner && ((list) => list.forEach(inner));
}

function rewriteOf(schema: StructuralSchema): Rewrite | undefined {
  if (isMicroTime(schema)) return checkedMicroTime;
  const { format } = schema;
  if (schema['x-kubernetes-int-or-string'] && format !== 'quantity') return REWRITES['int32'];
  return format === undefined ? undefined : REWRITES[format];
}

/** Returns a check that a number fits an integer format. The schema rejects values that are not numbers. */
function checkedInteger(format: string, min: number, max: number): Rewrite {
  return (value) => {
    if (typeof value !== 'number' || (Number.isInteger(value) && value >= min && value <= max)) return value;
    throw new Error(`json: cannot unmarshal number ${value} into Go value of type ${format}`);
  };
}

function canonicalQuantity(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error('quantities must be strings or numbers');
  return parseQuantity(String(value)).toString();
}

/** Checks that a string is base64. The schema rejects values that are not strings. */
function checkedBase64(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const body = value.replace(/[\r\n]/g, '');
  if (body.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(body)) return value;
  const wrong = body.search(/[^A-Za-z0-9+/]/);
  throw new Error(`illegal base64 data at input byte ${wrong < 0 ? body.length : wrong}`);
}

const MICRO_TIME_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})(Z|[+-]\d\d:\d\d)$/;

/** Checks that a time has microseconds, and returns it in UTC. The schema rejects values that are not times. */
function checkedMicroTime(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [, micros, zone] = MICRO_TIME.exec(value) ?? [];
  if (micros === undefined) throw new Error(`parsing time ${JSON.stringify(value)} as ${JSON.stringify(MICRO_TIME_LAYOUT)}: cannot parse`);
  const time = zone === 'Z' ? undefined : parseTime(value);
  return time === undefined ? value : toTime(time).replace('Z', `${micros}Z`);
}
