import { setOwn } from '../patch/own.js';
import { FieldSet } from './field-set.js';
import type { ListMerge, MapMerge, MergeType } from './object-type.js';
import { fieldElement, type PathElement } from './path-element.js';
import { asList, asMap, itemElementOrText, memberType, shapeOf, type Value } from './values.js';

/** Returns the paths of all fields in an applied value that the applier owns. */
export function fieldSetOf(type: MergeType, value: Value): FieldSet {
  const set = new FieldSet();
  collect(type, value, [], set);
  return set;
}

function collect(type: MergeType, value: Value, path: PathElement[], set: FieldSet): void {
  switch (shapeOf(type, value)) {
    case 'map':
      return collectMap(type.map as MapMerge, value, path, set);
    case 'list':
      return collectList(type.list as ListMerge, value, path, set);
    default:
      set.insert(path);
  }
}

function collectMap(type: MapMerge, value: Value, path: PathElement[], set: FieldSet): void {
  if (type.atomic) return set.insert(path);
  const map = asMap(value);
  if (!map) return;
  for (const [name, member] of Object.entries(map)) {
    if (member === undefined) continue;
    path.push(fieldElement(name));
    collect(memberType(type, name), member, path, set);
    const isEmptyMap = Object.keys(asMap(member) ?? { some: 1 }).length === 0;
    if (member === null || isEmptyMap || !type.fields.has(name)) set.insert(path);
    path.pop();
  }
}

function collectList(type: ListMerge, value: Value, path: PathElement[], set: FieldSet): void {
  if (type.atomic) return set.insert(path);
  const list = asList(value) ?? [];
  const elements = list.map((item) => itemElementOrText(type, item));
  const times = new Map<PathElement, number>();
  for (const element of elements) times.set(element, (times.get(element) ?? 0) + 1);
  for (const [i, element] of elements.entries()) {
    path.push(element);
    if (times.get(element) === 1) collect(type.item, list[i], path, set);
    set.insert(path);
    path.pop();
  }
}

/** The value of a map or list whose members were all removed: null, as in structured-merge-diff, or absent, as users expect. */
export type Emptied = 'null' | 'absent';

/** Returns `value` without the items and members in `set`. */
export function withoutItems(type: MergeType, value: Value, set: FieldSet, emptied: Emptied = 'null'): Value {
  switch (shapeOf(type, value)) {
    case 'map':
      return withoutMembers(type.map as MapMerge, value, set, emptied);
    case 'list':
      return withoutListItems(type.list as ListMerge, value, set, emptied);
    default:
      return value;
  }
}

function withoutMembers(type: MapMerge, value: Value, set: FieldSet, emptied: Emptied): Value {
  const nothing = emptied === 'null' || value === null ? null : undefined;
  const map = asMap(value);
  if (!map || type.atomic) return nothing;
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(map)) {
    const element = fieldElement(name);
    if (member === undefined || set.has(element)) continue;
    const below = set.below(element);
    const kept = below ? withoutItems(memberType(type, name), member, below, emptied) : member;
    if (kept !== undefined) setOwn(out, name, kept);
  }
  return Object.keys(out).length > 0 ? out : nothing;
}

function withoutListItems(type: ListMerge, value: Value, set: FieldSet, emptied: Emptied): Value {
  const nothing = emptied === 'null' || value === null ? null : undefined;
  const list = asList(value);
  if (!list || type.atomic) return nothing;
  const out: unknown[] = [];
  for (const item of list) {
    const element = itemElementOrText(type, item);
    if (set.has(element)) continue;
    const below = set.below(element);
    const kept = below ? withoutItems(type.item, item, below, emptied) : item;
    if (kept !== undefined) out.push(kept);
  }
  return out.length > 0 ? out : nothing;
}

/** Adds every declared field that has members in the set, because the owner of a part of a struct owns the struct. */
export function withNamedFields(type: MergeType, set: FieldSet): FieldSet {
  return set.mapped((element, member, children) => {
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const named = children !== undefined && name !== undefined && (type.map?.fields.has(name) ?? false);
    return [member || named, children && withNamedFields(elementType(type, element), children)];
  });
}

function elementType(type: MergeType, element: PathElement): MergeType {
  if (element.startsWith('f:') && type.map) return memberType(type.map, element.slice(2));
  return (element.startsWith('k:') && type.list?.item) || {};
}

/**
 * Adapts the set to a schema in which a field became atomic. If the set contains a part of that field, the result contains the whole field.
 */
export function reconciled(type: MergeType, set: FieldSet): FieldSet {
  return set.mapped((element, member, children) => {
    const inner = memberOrItemType(type, element);
    if (!inner || !children) return [member, children];
    return isWhole(inner) ? [true, undefined] : [member, reconciled(inner, children)];
  });
}

function memberOrItemType(type: MergeType, element: PathElement): MergeType | undefined {
  if (type.map && element.startsWith('f:')) return type.map.fields.get(element.slice(2)) ?? type.map.other;
  return type.map ? undefined : type.list?.item;
}

/** Whether a type is atomic. If a type allows several shapes, the first of map, scalar and list decides. */
function isWhole(type: MergeType): boolean {
  if (type.map) return type.map.atomic;
  return type.scalar === undefined && (type.list?.atomic ?? false);
}
