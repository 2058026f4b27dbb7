import type { StructuralSchema } from '@outrigger/core/schema';
import type { MutableFields } from './draft.js';

/** What a typed server writes for a kind of which nothing is set: structs and lists that are always there, empty. */
export function emptyObject(schema: StructuralSchema): MutableFields {
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, part]): [string, unknown][] => {
    if ('x-outrigger-always-there' in part) return [[name, emptyObject(part)]];
    return required.has(name) && part.type === 'array' ? [[name, null]] : [];
  });
  return Object.fromEntries(members);
}
