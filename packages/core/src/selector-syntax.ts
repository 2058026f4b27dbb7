import { errorMessage } from './errors.js';
import { validateQualifiedName } from './names.js';

export type RequirementOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** A requirement on one label. Label selectors are parsed into requirements, whether they are objects or strings. */
export interface Requirement {
  readonly key: string;
  readonly operator: RequirementOperator;
  readonly values: readonly string[];
}

interface Token {
  readonly type: 'end' | 'identifier' | 'symbol';
  readonly text: string;
}

const SYMBOLS = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
/**
 * Matches at most two characters, because no symbol is longer. A pattern that matched a whole run at each position would take quadratic
 * time.
 */
const SYMBOL_CHARACTERS = /[=!(),><]{1,2}/y;
const IDENTIFIER = /[^=!(),>< \t\r\n]+/y;
const BINARY_OPERATORS: Readonly<Record<string, RequirementOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

/** Parses the string form of a label selector. Errors have the API server's messages. */
export function parseRequirements(text: string): Requirement[] {
  const reader = new TokenReader(tokenize(text));
  const requirements: Requirement[] = [];
  if (reader.peek().type === 'end') return requirements;
  if (!startsRequirement(reader.peek())) throw new Error(`found '${reader.peek().text}', expected: !, identifier, or 'end of string'`);
  for (;;) {
    requirements.push(parseRequirement(reader));
    const next = reader.take();
    if (next.type === 'end') return requirements;
    if (next.text !== ',') throw new Error(`found '${next.text}', expected: ',' or 'end of string'`);
    if (!startsRequirement(reader.peek())) throw new Error(`found '${reader.peek().text}', expected: identifier after ','`);
  }
}

function startsRequirement(token: Token): boolean {
  return token.type === 'identifier' || token.text === '!';
}

function parseRequirement(reader: TokenReader): Requirement {
  try {
    return readRequirement(reader);
  } catch (error) {
    throw unparsable(error);
  }
}

/** Returns the error for a requirement whose syntax, key or value is invalid. */
export function unparsable(error: unknown): Error {
  return new Error(`unable to parse requirement: ${errorMessage(error)}`, { cause: error });
}

function readRequirement(reader: TokenReader): Requirement {
  const isNegated = reader.takeIf('!');
  const key = reader.take();
  if (key.type !== 'identifier') throw new Error(`found '${key.text}', expected: identifier`);
  const problems = validateQualifiedName(key.text);
  if (problems.length > 0) throw new Error(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${problems.join('; ')}`);
  if (isNegated) return { key: key.text, operator: '!', values: [] };
  if (reader.isAtEndOfRequirement()) return { key: key.text, operator: 'exists', values: [] };
  const operator = readOperator(reader.take());
  const values = operator === 'in' || operator === 'notin' ? readValueSet(reader) : [readExactValue(reader)];
  return { key: key.text, operator, values };
}

function readOperator(token: Token): RequirementOperator {
  const operator = Object.hasOwn(BINARY_OPERATORS, token.text) ? BINARY_OPERATORS[token.text] : undefined;
  if (operator === undefined) throw new Error(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  return operator;
}

function readExactValue(reader: TokenReader): string {
  if (reader.isAtEndOfRequirement()) return '';
  const value = reader.take();
  if (value.type !== 'identifier') throw new Error(`found '${value.text}', expected: identifier`);
  return value.text;
}

/** Parses a set of values such as `(x,y)`. A missing value before, between or after commas is the empty string. */
function readValueSet(reader: TokenReader): string[] {
  const open = reader.take();
  if (open.text !== '(') throw new Error(`found '${open.text}' expected: '('`);
  const values = new Set<string>();
  for (;;) {
    values.add(reader.peek().type === 'identifier' ? reader.take().text : '');
    const next = reader.take();
    if (next.text === ')') return [...values].sort();
    if (next.text !== ',') throw new Error(`found '${next.text}', expected: ',' or ')'`);
  }
}

class TokenReader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(): Token {
    return this.#tokens[this.#position] ?? { type: 'end', text: '' };
  }

  take(): Token {
    const token = this.peek();
    this.#position++;
    return token;
  }

  takeIf(symbol: string): boolean {
    const isNext = this.peek().type === 'symbol' && this.peek().text === symbol;
    if (isNext) this.#position++;
    return isNext;
  }

  isAtEndOfRequirement(): boolean {
    return this.peek().type === 'end' || this.peek().text === ',';
  }
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (' \t\r\n'.includes(text[at] as string)) {
      at++;
      continue;
    }
    const identifier = matchAt(IDENTIFIER, text, at);
    const token =
      identifier !== '' ? ({ type: 'identifier', text: identifier } as const) : longestSymbol(matchAt(SYMBOL_CHARACTERS, text, at));
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function longestSymbol(run: string): Token {
  const two = run.slice(0, 2);
  return { type: 'symbol', text: SYMBOLS.has(two) ? two : run.slice(0, 1) };
}
