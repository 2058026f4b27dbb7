import { isJsonObject } from './json.js';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A compiled field selector, such as `metadata.name=x,status.phase!=y`. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly isEmpty: boolean;
  /** Whether the fields match. `field` returns a field's value as a string; an absent field equals the empty string, as in the API. */
  matches(field: (path: string) => string | undefined): boolean;
  /** Returns the value that the selector requires of a field, if any, so that a store can read one object instead of all. */
  exactMatch(field: string): string | undefined;
  toString(): string;
}

/** Parses a field selector. In a value, `\,`, `\=` and `\\` are escapes for the second character. Errors have the API server's messages. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements = splitTerms(text)
    .filter((term) => term !== '')
    .sort()
    .map((term) => parseTerm(term, text));
  return {
    requirements,
    isEmpty: requirements.length === 0,
    matches: (field) => requirements.every(({ field: path, operator, value }) => ((field(path) ?? '') === value) === (operator === '=')),
    exactMatch: (field) => requirements.find((requirement) => requirement.field === field && requirement.operator === '=')?.value,
    toString: () => requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(','),
  };
}

/** Returns a function that looks up fields of an object by dotted path (`spec.nodeName`). Only scalar fields have a string value. */
export function fieldsOf(object: object): (path: string) => string | undefined {
  return (path) => {
    let value: unknown = object;
    for (const segment of path.split('.')) {
      if (!isJsonObject(value) || !Object.hasOwn(value, segment)) return undefined;
      value = value[segment];
    }
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  };
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const sign = /!=|==?/.exec(term);
  if (sign === null) throw new Error(`invalid selector: '${selector}'; can't understand '${term}'`);
  return {
    field: term.slice(0, sign.index),
    operator: sign[0] === '!=' ? '!=' : '=',
    value: unescapeValue(term.slice(sign.index + sign[0].length)),
  };
}

function unescapeValue(text: string): string {
  return text.replace(/\\[^]?|[,=]/gu, (sequence) => {
    if (sequence === ',' || sequence === '=')
      throw new Error(`invalid field selector: unescaped character in value: ${sequence.charCodeAt(0)}`);
    if (!['\\\\', '\\,', '\\='].includes(sequence)) throw new Error(`invalid field selector: invalid escape sequence: ${sequence}`);
    return sequence.slice(1);
  });
}

function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}
