import { isFields, type Fields } from '../draft.js';

/** Members that contain schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions']);
/** Members that contain arbitrary JSON, in which a null is a value. */
const VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'example']);

/**
 * Returns a schema as a Go server would decode it: null members are removed, and a null in a list or map of schemas is replaced by an empty
 * schema. Returns the schema itself if it contains no such null.
 */
export function withoutNulls(schema: Fields): Fields {
  return mapMembers(schema, (name, value) => {
    if (value === null) return undefined;
    if (VALUES.has(name)) return value;
    if (MAPS.has(name) && isFields(value)) return mapMembers(value, (_, member) => partWithoutNulls(member));
    return Array.isArray(value) ? mapItems(value) : isFields(value) ? withoutNulls(value) : value;
  });
}

function partWithoutNulls(part: unknown): unknown {
  if (part === null) return {};
  return isFields(part) ? withoutNulls(part) : part;
}

function mapItems(list: readonly unknown[]): readonly unknown[] {
  const items = list.map(partWithoutNulls);
  return items.every((item, i) => item === list[i]) ? list : items;
}

function mapMembers(object: Fields, change: (name: string, value: unknown) => unknown): Fields {
  const before = Object.entries(object);
  const after = before.flatMap(([name, value]): (readonly [string, unknown])[] => {
    const changed = change(name, value);
    return changed === undefined ? [] : [[name, changed]];
  });
  const isSame = after.length === before.length && after.every(([, value], i) => value === before[i]?.[1]);
  return isSame ? object : Object.fromEntries(after);
}
