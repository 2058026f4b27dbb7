import { goLiteral, goValue } from '../schema/go-format.js';
import type { ListMerge, MapMerge, MergeType, ScalarType } from './object-type.js';
import { elementText, fieldElement } from './path-element.js';
import { asList, asMap, ItemError, itemElement, memberType, shapeOf, type Value } from './values.js';

/** Returns the errors that prevent a value from being merged as `type`, such as `.spec.foo: field not declared in schema`. */
export function typeProblems(type: MergeType, value: Value, allowDuplicates: boolean): string[] {
  const problems: Problem[] = [];
  check(type, value, '', { allowDuplicates, problems });
  return problems.map(({ path, words }) => (path === '' ? words : `${path}: ${words}`));
}

interface Problem {
  readonly path: string;
  readonly words: string;
}

interface Checking {
  readonly allowDuplicates: boolean;
  readonly problems: Problem[];
}

function check(type: MergeType, value: Value, path: string, checking: Checking): void {
  switch (shapeOf(type, value)) {
    case 'map':
      return checkMap(type.map as MapMerge, value, path, checking);
    case 'list':
      return checkList(type.list as ListMerge, value, path, checking);
    case 'scalar':
      return checkScalar(type.scalar as ScalarType, value, path, checking);
    default:
      checking.problems.push({ path, words: 'schema error: invalid atom: inlined' });
  }
}

function checkMap(type: MapMerge, value: Value, path: string, checking: Checking): void {
  const map = asMap(value);
  if (!map) {
    if (value !== null) checking.problems.push({ path, words: `expected map, got &{${goValue(value)}}` });
    return;
  }
  for (const [name, member] of Object.entries(map)) {
    if (member === undefined) continue;
    const place = `${path}${elementText(fieldElement(name))}`;
    if (!type.fields.has(name) && !type.other) {
      checking.problems.push({ path: place, words: 'field not declared in schema' });
      return; // Like the API server, report only the first error.
    }
    check(memberType(type, name), member, place, checking);
  }
}

function checkList(type: ListMerge, value: Value, path: string, checking: Checking): void {
  const list = asList(value);
  if (!list) {
    if (value !== null) checking.problems.push({ path, words: `expected list, got &{${goValue(value)}}` });
    return;
  }
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    let place = `[${i}]`;
    if (!type.atomic) {
      try {
        const element = itemElement(type, item);
        place = elementText(element);
        if (seen.has(element) && !checking.allowDuplicates) checking.problems.push({ path, words: `duplicate entries for key ${place}` });
        seen.add(element);
      } catch (error) {
        if (!(error instanceof ItemError)) throw error;
        checking.problems.push({ path, words: `element ${i}: ${error.message}` });
        return;
      }
    }
    check(type.item, item, `${path}${place}`, checking);
  }
}

function checkScalar(type: ScalarType, value: Value, path: string, checking: Checking): void {
  const words = value === null ? undefined : scalarProblem(type, value);
  if (words !== undefined) checking.problems.push({ path, words });
}

function scalarProblem(type: ScalarType, value: Value): string | undefined {
  const found = typeof value;
  switch (type) {
    case 'numeric':
      return found === 'number' ? undefined : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'string':
      return found === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goLiteral(value)}}`;
    case 'boolean':
      return found === 'boolean' ? undefined : `expected boolean, got &{${goValue(value)}}`;
    case 'untyped':
      return found === 'object' ? `expected any scalar, got &{${goValue(value)}}` : undefined;
  }
}

function goTypeOf(value: Value): string {
  if (Array.isArray(value)) return '[]interface {}';
  return typeof value === 'object' ? 'map[string]interface {}' : typeof value === 'boolean' ? 'bool' : typeof value;
}
