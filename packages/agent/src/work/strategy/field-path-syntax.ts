import { errorMessage } from '@outrigger/core';
import type { FieldPath, FieldStep } from './field-path.js';

/**
 * Parsers for the three notations for fields to ignore, with one result type. The supported subset of JSONPath and jq names fields
 * (members, positions, all elements, elements selected by the value of a member). Anything else is an error.
 */

/**
 * Parses a JSON pointer (RFC 6901) such as `/spec/replicas`. A token of digits is a position in a list or a name in an object; `removeAt`
 * decides which.
 */
export function parsePointer(text: string): FieldPath {
  if (!text.startsWith('/')) throw new Error(`JSON pointer "${text}" must start with "/"`);
  return text
    .slice(1)
    .split('/')
    .map((token) => pointerToken(token, text));
}

function pointerToken(token: string, text: string): FieldStep {
  if (/~(?![01])/.test(token)) throw new Error(`JSON pointer "${text}": "~" must be followed by 0 or 1`);
  const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
  return { type: 'field', name };
}

/** Parses `.spec.template.spec.containers[?(@.name=="a")].image`, `$['metadata']['annotations']['example.com/x']`, `{.a[*].b[0]}`. */
export function parseJsonPath(text: string): FieldPath {
  const inner = /^\{(.*)\}$/s.exec(text.trim())?.[1] ?? text.trim();
  return new Reader(inner.replace(/^\$/, ''), `JSONPath "${text}"`).path([
    [/\[\?\(\s*@((?:\.[\w-]+)+)\s*==\s*("[^"]*"|'[^']*'|[\w.+-]+)\s*\)\]/y, (path, value) => where(path, value)],
    [/\.?\[\*\]|\.\*/y, () => [{ type: 'every' }]],
    ...COMMON,
    [/\.((?:\\.|[^\\\s.,[\]$@{}()'"*?])+)/y, (name) => [{ type: 'field', name: name.replaceAll(/\\(.)/g, '$1') }]],
    [/^([\w-]+)/y, (name) => [{ type: 'field', name }]],
  ]);
}

/** Parses `.spec.template.spec.containers[] | select(.name == "a") | .image`. */
export function parseJqPath(text: string): FieldPath {
  return new Reader(text.trim(), `jq expression "${text}"`).path([
    [/\.?\[\]\s*\|\s*select\(\s*((?:\.[\w-]+)+)\s*==\s*("[^"]*"|[\w.+-]+)\s*\)/y, (path, value) => where(path, value)],
    [/\.?\[\]/y, () => [{ type: 'every' }]],
    ...COMMON,
    [/\.([A-Za-z_]\w*)/y, (name) => [{ type: 'field', name }]],
    [/\."([^"\\]+)"/y, (name) => [{ type: 'field', name }]],
    [/\s*\|\s*(?=\.)/y, () => []],
  ]);
}

type Rule = readonly [RegExp, (...groups: string[]) => readonly FieldStep[]];

const COMMON: readonly Rule[] = [
  [/\.?\[(-?\d+)\]/y, (index) => [{ type: 'index', index: Number(index) }]],
  [/\.?\[\s*"([^"\\]+)"\s*\]/y, (name) => [{ type: 'field', name }]],
  [/\.?\[\s*'([^'\\]+)'\s*\]/y, (name) => [{ type: 'field', name }]],
];

function where(path: string, literal: string): readonly FieldStep[] {
  return [{ type: 'where', path: path.split('.').slice(1), value: literalValue(literal) }];
}

function literalValue(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const number = Number(text);
  if (Number.isNaN(number)) throw new Error(`${text} is neither a quoted text nor a number, true, false or null`);
  return number;
}

class Reader {
  readonly #text: string;
  readonly #what: string;
  #at = 0;

  constructor(text: string, what: string) {
    this.#text = text;
    this.#what = what;
  }

  /** Parses steps until the end of the text, each with the first rule that matches. */
  path(rules: readonly Rule[]): FieldPath {
    const steps: FieldStep[] = [];
    while (this.#at < this.#text.length) steps.push(...this.#step(rules));
    if (steps.length === 0) throw new Error(`${this.#what} names no field`);
    return steps;
  }

  #step(rules: readonly Rule[]): readonly FieldStep[] {
    for (const [pattern, build] of rules) {
      pattern.lastIndex = this.#at;
      const found = pattern.exec(this.#text);
      if (!found || found[0] === '') continue;
      this.#at += found[0].length;
      return this.#naming(() => build(...found.slice(1)));
    }
    throw new Error(
      `${this.#what}: cannot read "${this.#text.slice(this.#at, this.#at + 40)}"; name fields as .a.b, .a["b"], .a[0] or all elements`,
    );
  }

  #naming<T>(build: () => T): T {
    try {
      return build();
    } catch (error) {
      throw new Error(`${this.#what}: ${errorMessage(error)}`, { cause: error });
    }
  }
}
