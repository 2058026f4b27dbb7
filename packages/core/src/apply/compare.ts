import { getOwn } from '../patch/own.js';
import { deepEqual } from '../patch/equal.js';
import { FieldSet } from './field-set.js';
import type { ListMerge, MapMerge, MergeType } from './object-type.js';
import { fieldElement, type PathElement } from './path-element.js';
import { asList, asMap, itemElementOrText, memberType, type Shape, shapesOf, type Value } from './values.js';

/** The paths that an update removed, modified and added. Only paths that can have owners are included. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

export function compare(type: MergeType, before: Value, after: Value): Comparison {
  const result = { removed: new FieldSet(), modified: new FieldSet(), added: new FieldSet() };
  visit(type, before, after, [], result);
  return result;
}

/** Applies `filter` to each set, for example to exclude reset fields. */
export function filtered(comparison: Comparison, filter: (set: FieldSet) => FieldSet): Comparison {
  return { removed: filter(comparison.removed), modified: filter(comparison.modified), added: filter(comparison.added) };
}

function visit(type: MergeType, before: Value, after: Value, path: PathElement[], result: Comparison): void {
  if (before === after) return;
  let isLeaf = false;
  for (const shape of shapesOf(type, before, after)) isLeaf = visitAs(shape, type, before, after, path, result);
  if (isLeaf) return;
  if (before === undefined) result.added.insert(path);
  else if (after === undefined) result.removed.insert(path);
}

/** Compares two values of one shape. Returns true if they were compared as a whole, and false if they were compared part by part. */
function visitAs(shape: Shape | undefined, type: MergeType, before: Value, after: Value, path: PathElement[], result: Comparison): boolean {
  if (shape === 'map') return visitMap(type.map as MapMerge, before, after, path, result);
  if (shape === 'list') return visitList(type.list as ListMerge, before, after, path, result);
  return visitLeaf(before, after, path, result);
}

function visitLeaf(before: Value, after: Value, path: readonly PathElement[], result: Comparison): true {
  if (before === undefined) result.added.insert(path);
  else if (after === undefined) result.removed.insert(path);
  else if (!deepEqual(before, after)) result.modified.insert(path);
  return true;
}

function visitMap(type: MapMerge, before: Value, after: Value, path: PathElement[], result: Comparison): boolean {
  const left = asMap(before) ?? {};
  const right = asMap(after) ?? {};
  const names = Object.keys(left);
  const otherNames = Object.keys(right);
  // Two empty maps are compared as a whole, which distinguishes null from {}.
  if (type.atomic || (names.length === 0 && otherNames.length === 0)) return visitLeaf(before, after, path, result);
  for (const name of names) visitMember(type, name, left[name], getOwn(right, name), path, result);
  for (const name of otherNames) if (!Object.hasOwn(left, name)) visitMember(type, name, undefined, right[name], path, result);
  return false;
}

function visitMember(type: MapMerge, name: string, before: Value, after: Value, path: PathElement[], result: Comparison): void {
  if (before === after) return;
  path.push(fieldElement(name));
  visit(memberType(type, name), before, after, path, result);
  path.pop();
}

function visitList(type: ListMerge, before: Value, after: Value, path: PathElement[], result: Comparison): boolean {
  const left = asList(before) ?? [];
  const right = asList(after) ?? [];
  if (type.atomic || (left.length === 0 && right.length === 0)) return visitLeaf(before, after, path, result);
  const lefts = grouped(type, left);
  const rights = grouped(type, right);
  for (const element of new Set([...lefts.keys(), ...rights.keys()])) {
    path.push(element);
    visitItems(type.item, lefts.get(element) ?? [], rights.get(element) ?? [], path, result);
    path.pop();
  }
  return false;
}

function grouped(type: ListMerge, list: readonly unknown[]): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const item of list) {
    const element = itemElementOrText(type, item);
    const group = groups.get(element);
    if (group) group.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}

/**
 * Compares the items with the same identity: normally one item before and one after the update. Duplicate items are owned together, as one
 * item.
 */
function visitItems(type: MergeType, left: readonly unknown[], right: readonly unknown[], path: PathElement[], result: Comparison): void {
  if (left.length <= 1 && right.length <= 1) return visit(type, left[0], right[0], path, result);
  if (left.length > 1 && right.length > 1) {
    if (!deepEqual(left, right)) result.modified.insert(path);
    return;
  }
  if (left.length > 1) {
    if (right.length > 0) visit(type, undefined, right[0], path, result);
    result.removed.insert(path);
    return;
  }
  if (left.length > 0) visit(type, left[0], undefined, path, result);
  result.added.insert(path);
}
