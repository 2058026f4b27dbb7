/** A template in Kubernetes' JSONPath dialect: text, `{paths}` and `{range}…{end}` blocks. */
export type TemplatePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'path'; readonly steps: readonly Step[] }
  | { readonly type: 'range'; readonly steps: readonly Step[]; readonly body: readonly TemplatePart[] };

export type FilterOperator = 'exists' | '==' | '!=' | '<' | '<=' | '>' | '>=';

/** One step of a path. It leads from each current value to the next ones. */
export type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'literal'; readonly value: string | number | boolean }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'slice'; readonly start: number | undefined; readonly end: number | undefined; readonly step: number }
  | { readonly type: 'union'; readonly branches: readonly (readonly Step[])[] }
  | { readonly type: 'filter'; readonly left: readonly Step[]; readonly operator: FilterOperator; readonly right: readonly Step[] };

const OPERATORS = new Set(['==', '!=', '<', '<=', '>', '>=']);
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** Parses the inside of `{…}`: a path, or the keywords `range <path>` and `end`. */
export class ActionReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at = 0) {
    this.#text = text;
    this.#at = at;
  }

  get position(): number {
    return this.#at;
  }

  /**
   * Parses steps up to the closing brace, or to the end of the text if `isWhole`. The keywords `range` and `end` are returned as `keyword`.
   */
  read(isWhole: boolean): { readonly keyword: 'range' | 'end' | undefined; readonly steps: Step[] } {
    const steps: Step[] = [];
    let keyword: 'range' | 'end' | undefined;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined || char === '\n' || char === '\r') {
        if (isWhole && char === undefined) return { keyword, steps };
        throw new Error('unclosed action');
      }
      if (char === '}' && !isWhole) {
        this.#at++;
        return { keyword, steps };
      }
      const word = this.#readKeyword();
      if (word !== undefined) keyword = word;
      else steps.push(...this.#readStep(char, steps.at(-1)));
    }
  }

  #readKeyword(): 'range' | 'end' | undefined {
    const word = this.#match(/(range|end)(?=[\s.,[\]$@{}]|$)/y);
    return word === undefined ? undefined : (word as 'range' | 'end');
  }

  #readStep(char: string, previous: Step | undefined): Step[] {
    if (this.#text.startsWith('[?(', this.#at)) return [this.#readFilter()];
    if (this.#text.startsWith('..', this.#at)) return this.#readRecursive(previous);
    switch (char) {
      case ' ':
      case '@':
      case '$':
        this.#at++;
        return [];
      case '[':
        return this.#readBrackets();
      case '"':
      case "'":
        return [{ type: 'literal', value: this.#readQuoted() }];
      case '.':
        this.#at++;
        return [this.#readField()];
      default:
        return [this.#readLiteral()];
    }
  }

  #readRecursive(previous: Step | undefined): Step[] {
    if (previous?.type === 'recursive') throw new Error('invalid multiple recursive descent');
    this.#at += 2;
    const isField = /[\p{L}\p{N}_*]/u.test(this.#text[this.#at] ?? '');
    return isField ? [{ type: 'recursive' }, this.#readField()] : [{ type: 'recursive' }];
  }

  /** Reads a name up to the next delimiter. A backslash escapes the next character. */
  #readField(): Step {
    const name = this.#match(/(?:\\[^]|[^\\\s.,[\]$@{}])*/y) ?? '';
    return name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll(/\\([^])/g, '$1') };
  }

  #readLiteral(): Step {
    const number = this.#match(/[-+]?\d[\d.]*/y);
    if (number !== undefined) {
      const value = Number(number);
      if (Number.isNaN(value)) throw new Error(`cannot parse number ${number}`);
      return { type: 'literal', value };
    }
    const word = this.#match(/[\p{L}\p{N}_][^\s.,[\]$@{}]*/uy);
    if (word === 'true' || word === 'false') return { type: 'literal', value: word === 'true' };
    if (word !== undefined) throw new Error(`unrecognized identifier ${word}`);
    throw new Error(`unrecognized character in action: '${this.#text[this.#at]}'`);
  }

  #readBrackets(): Step[] {
    const end = this.#text.indexOf(']', this.#at);
    if (end < 0) throw new Error('unterminated array');
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inside.split(',');
    if (parts.length === 1) return parseSubscript(inside);
    return [{ type: 'union', branches: parts.map((part) => parseSubscript(part.trim())) }];
  }

  #readFilter(): Step {
    const start = this.#at + '[?('.length;
    const end = findFilterEnd(this.#text, start);
    this.#at = end + ')]'.length;
    const inside = this.#text.slice(start, end);
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(inside) ?? [];
    if (left === undefined || operator === undefined || right === undefined) {
      return { type: 'filter', left: parseWhole(inside), operator: 'exists', right: [] };
    }
    if (!OPERATORS.has(operator)) throw new Error(`unrecognized filter operator ${operator}`);
    return { type: 'filter', left: parseWhole(left), operator: operator as FilterOperator, right: parseWhole(right) };
  }

  #readQuoted(): string {
    const quoted = this.#match(/"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'/y);
    if (quoted === undefined) throw new Error('unterminated quoted string');
    return unquote(quoted.slice(1, -1));
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }
}

function parseWhole(text: string): Step[] {
  const { keyword, steps } = new ActionReader(text.trim()).read(true);
  if (keyword !== undefined) throw new Error(`unexpected ${keyword}`);
  return steps;
}

/** Parses a subscript: `*`, `'key'`, `3`, `-1` or `1:-1:2`. A quoted key may be a path: `['metadata.name']`. */
function parseSubscript(text: string): Step[] {
  if (text === '*') return [{ type: 'slice', start: undefined, end: undefined, step: 1 }];
  const [, key] = /^'([^']*)'$/.exec(text) ?? /^"([^"]*)"$/.exec(text) ?? [];
  if (key !== undefined) return parseWhole(`.${key}`);
  const [, start = '', end, step] = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text) ?? [undefined, undefined];
  if (start === '' && end === undefined) throw new Error(`invalid array index ${text}`);
  if (end === undefined) return [{ type: 'index', index: toInteger(start) ?? 0 }];
  const width = toInteger(step?.slice(1)) ?? 1;
  if (width <= 0) throw new Error('step must be > 0');
  return [{ type: 'slice', start: toInteger(start), end: toInteger(end.slice(1)), step: width }];
}

function toInteger(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`array index ${text} is not a number`);
  return value;
}

/** Returns the offset of the `)]` that ends a filter. Quoted text is skipped. */
function findFilterEnd(text: string, start: number): number {
  let quote: string | undefined;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '\n') break;
    if (quote !== undefined) {
      if (char === '\\') i++;
      else if (char === quote) quote = undefined;
    } else if (char === '"' || char === "'") quote = char;
    else if (char === ')') {
      if (text[i + 1] === ']') return i;
      throw new Error('unclosed array expect ]');
    }
  }
  throw new Error('unterminated filter');
}

function unquote(text: string): string {
  return text.replaceAll(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^])/g, (_whole, escape: string) => {
    if (escape.length > 1) return String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    const char = ESCAPES[escape];
    if (char === undefined) throw new Error(`unquote string error: invalid escape \\${escape}`);
    return char;
  });
}
