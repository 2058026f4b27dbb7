import { compareText } from '../compare-text.js';
import { goJson, goNumber, goQuote } from '../schema/go-format.js';

/** One element of a path in canonical FieldsV1 encoding, so that equal elements are equal strings. */
export type PathElement = `f:${string}` | `k:${string}` | `v:${string}` | `i:${string}`;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** Returns the element for an item of a list of type map. */
export function keyElement(keys: Readonly<Record<string, unknown>>): PathElement {
  return `k:${goJson(keys)}`;
}

/** Returns the element for an item of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${goJson(value)}`;
}

/** Parses an element. Returns undefined for an unknown type of element, and throws for a malformed one. */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return fieldElement(content);
    case 'v':
      return valueElement(JSON.parse(content));
    case 'k':
      return keyElement(keyFields(content));
    case 'i':
      if (!/^-?\d+$/.test(content)) throw new Error(`strconv.Atoi: parsing ${goQuote(content)}: invalid syntax`);
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

function keyFields(content: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(content);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error(`expected an object of keys: ${content}`);
  return parsed as Record<string, unknown>;
}

/** Formats an element as conflicts name a path: `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'k':
      return `[${Object.entries(keyFields(content))
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${valueText(JSON.parse(content))}]`;
    default:
      return `[${content}]`;
  }
}

export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? goNumber(value) : String(value);
}

const KIND_ORDER = 'fkvi';

/** Compares elements. Fields come before keys, values and indices, in this order; elements of one type are ordered by content. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  if (a[0] !== b[0]) return KIND_ORDER.indexOf(a[0] as string) - KIND_ORDER.indexOf(b[0] as string);
  const [left, right] = [a.slice(2), b.slice(2)];
  switch (a[0]) {
    case 'k':
      return compareKeys(keyFields(left), keyFields(right));
    case 'v':
      return compareValues(JSON.parse(left), JSON.parse(right));
    case 'i':
      return Number(left) - Number(right);
    default:
      return compareText(left, right);
  }
}

function compareKeys(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [leftName, leftValue] = left[i] as [string, unknown];
    const [rightName, rightValue] = right[i] as [string, unknown];
    const order = compareText(leftName, rightName) || compareValues(leftValue, rightValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const VALUE_ORDER = ['number', 'string', 'boolean', 'object'];

function compareValues(a: unknown, b: unknown): number {
  if (typeof a !== typeof b) return VALUE_ORDER.indexOf(typeof a) - VALUE_ORDER.indexOf(typeof b);
  if (typeof a === 'number') return a - (b as number);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return compareText(typeof a === 'string' ? a : goJson(a), typeof b === 'string' ? b : goJson(b));
}
