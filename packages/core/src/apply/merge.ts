import { setOwn, getOwn } from '../patch/own.js';
import type { ListMerge, MapMerge, MergeType } from './object-type.js';
import type { PathElement } from './path-element.js';
import { asList, asMap, itemElementOrText, memberType, shapeOf, type Value } from './values.js';

/** Returns `live` with all fields of `applied` set on top. Nothing is removed. Returns undefined if the result is empty. */
export function merge(type: MergeType, live: Value, applied: Value): Value {
  if (applied === undefined || live === applied) return live;
  switch (shapeOf(type, applied)) {
    case 'map':
      return mergeMap(type.map as MapMerge, live, applied);
    case 'list':
      return mergeList(type.list as ListMerge, live, applied);
    default:
      return applied;
  }
}

function mergeMap(type: MapMerge, live: Value, applied: Value): Value {
  const left = asMap(live) ?? {};
  const right = asMap(applied) ?? {};
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (type.atomic || names.size === 0) return applied;
  const out: Record<string, unknown> = {};
  for (const name of names) {
    const member = merge(memberType(type, name), getOwn(left, name), getOwn(right, name));
    if (member !== undefined) setOwn(out, name, member);
  }
  return Object.keys(out).length > 0 ? out : undefined;
}

function mergeList(type: ListMerge, live: Value, applied: Value): Value {
  const left = asList(live) ?? [];
  const right = asList(applied) ?? [];
  if (type.atomic || (left.length === 0 && right.length === 0)) return applied;
  const out = mergeItems(type, left, right);
  return out.length > 0 ? out : undefined;
}

/**
 * Merges the items of two lists in the order of structured-merge-diff: items in both lists have the order of the applied list, and live
 * items keep their position relative to the items before them.
 */
function mergeItems(type: ListMerge, left: readonly unknown[], right: readonly unknown[]): unknown[] {
  const leftElements = left.map((item) => itemElementOrText(type, item));
  const rightElements = right.map((item) => itemElementOrText(type, item));
  const liveItems = uniqueItems(leftElements, left);
  const appliedItems = new Map(rightElements.map((element, i) => [element, right[i]]));
  const shared = rightElements.filter((element) => liveItems.has(element));
  const merged = new Set<PathElement>();
  const out: unknown[] = [];
  const take = (live: unknown, applied: unknown): void => {
    const item = merge(type.item, live, applied);
    if (item !== undefined) out.push(item);
  };
  let next = shared.shift();
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const leftElement = leftElements[l];
    const rightElement = rightElements[r];
    if (leftElement !== undefined && leftElement === rightElement) {
      merged.add(leftElement);
      take(liveItems.get(leftElement), appliedItems.get(leftElement));
      l++;
      r++;
      next = shared.shift();
      continue;
    }
    if (
      leftElement !== undefined &&
      rightElement !== undefined &&
      appliedItems.has(leftElement) &&
      next !== undefined &&
      next !== leftElement
    ) {
      l++; // The item is in both lists, so its position comes from the applied list.
      continue;
    }
    if (leftElement !== undefined) {
      if (!appliedItems.has(leftElement)) {
        take(left[l], undefined);
        l++;
        continue;
      }
      if (merged.has(leftElement)) l++;
    }
    if (rightElement !== undefined) {
      merged.add(rightElement);
      take(liveItems.get(rightElement), appliedItems.get(rightElement));
      r++;
      if (next === rightElement) next = shared.shift();
    }
  }
  return out;
}

/**
 * Returns the items of a list by path element; null if several items have the same element. Duplicate live items are not merged with the
 * applied item, which replaces all of them.
 */
function uniqueItems(elements: readonly PathElement[], items: readonly unknown[]): Map<PathElement, unknown> {
  const unique = new Map<PathElement, unknown>();
  for (const [i, element] of elements.entries()) unique.set(element, unique.has(element) ? null : items[i]);
  return unique;
}
