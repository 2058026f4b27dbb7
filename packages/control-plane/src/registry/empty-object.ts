import { deepFreeze, memoize } from '@outrigger/core';
import type { StructuralSchema } from '@outrigger/core/schema';
import type { Fields } from './draft.js';

/** Returns the frozen object that a Go server writes if no field is set: the structs and lists that are always present, all empty. */
export const emptyObject: (schema: StructuralSchema) => Fields = memoize((schema: StructuralSchema) => deepFreeze(emptied(schema)));

function emptied(schema: StructuralSchema): Fields {
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, part]): [string, unknown][] => {
    if ('x-outrigger-always-there' in part) return [[name, emptied(part)]];
    return required.has(name) && part.type === 'array' ? [[name, null]] : [];
  });
  return Object.fromEntries(members);
}
