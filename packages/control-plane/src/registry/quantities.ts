import { parseQuantity } from '@outrigger/core';
import type { StructuralSchema } from '@outrigger/core/schema';
import { isFields } from './draft.js';

/** Rewrites quantities in place. Throws, in the API server's words, on what is none. */
export type Canonicalize = (value: unknown) => void;

/**
 * Compiles the rewriting of quantities (`0.5` → `500m`) into their canonical form, as a server with typed kinds does on reading.
 * Undefined where the schema has none.
 */
export function compileQuantities(schema: StructuralSchema): Canonicalize | undefined {
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

type InObject = (object: Record<string, unknown>) => void;

function memberOf(name: string, schema: StructuralSchema): InObject[] {
  if (isQuantity(schema)) {
    return [
      (object) => {
        if (object[name] !== undefined && object[name] !== null) object[name] = canonical(object[name]);
      },
    ];
  }
  const inner = compileQuantities(schema);
  return inner ? [(object) => inner(object[name])] : [];
}

function eachMember(schema: StructuralSchema): InObject | undefined {
  if (isQuantity(schema)) {
    return (object) => {
      for (const [name, value] of Object.entries(object)) object[name] = canonical(value);
    };
  }
  const inner = compileQuantities(schema);
  return inner && ((object) => Object.values(object).forEach(inner));
}

function eachItem(schema: StructuralSchema): ((list: unknown[]) => void) | undefined {
  const inner = compileQuantities(schema);
  return inner && ((list) => list.forEach(inner));
}

function isQuantity(schema: StructuralSchema): boolean {
  return schema.format === 'quantity';
}

function canonical(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error('quantities must be strings or numbers');
  return parseQuantity(String(value)).toString();
}
