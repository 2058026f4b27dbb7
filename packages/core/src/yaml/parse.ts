import { type Document, LineCounter, isMap, isNode, isScalar, isSeq, parseAllDocuments } from 'yaml';
import { toValue } from './convert.js';
import { YamlError, type YamlProblem } from './errors.js';
import { findExceededLimit } from './nesting.js';

export interface ParseYamlOptions {
  /** The file name that errors show. */
  readonly file?: string;
  /** The maximum length of a text, in UTF-16 units. Longer texts are rejected without being parsed. Defaults to 16 Mi. */
  readonly maxLength?: number;
  /** The maximum nesting depth. Defaults to 200. */
  readonly maxDepth?: number;
  /**
   * The maximum number of tokens in a text. The parser needs microseconds of time and hundreds of bytes of memory per token. By default,
   * there is no limit.
   */
  readonly maxTokens?: number;
  /** The maximum number of nodes that aliases may add to one document. Defaults to 100,000. */
  readonly maxAliasNodes?: number;
  /**
   * The maximum number of characters to which aliases may expand in one document. Defaults to 16 Mi. YamlExpansionError is thrown above it.
   */
  readonly maxAliasLength?: number;
  /** Called with each duplicate key and its line. The last value of the key then counts. By default, a duplicate key is an error. */
  readonly onDuplicateKey?: (key: string, line: number) => void;
}

export interface YamlDocument {
  readonly value: unknown;
  /** The position among all documents of the text, including empty ones, starting at 1. */
  readonly document: number;
  /** The line on which the content starts, counted from 1. */
  readonly line: number;
  /** Returns the line of the value at a path, or of the closest parent that exists. */
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** The documents of a text that could be parsed, and the errors in the others. */
export interface ReadYaml {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly YamlProblem[];
}

/** The maximum number of reported errors, because a text that is not YAML has an error at every token. */
const MAX_PROBLEMS = 50;

/** Returns the values of all documents that have content. See `parseYamlDocuments`. */
export function parseYaml(text: string, options: ParseYamlOptions = {}): unknown[] {
  return parseYamlDocuments(text, options).map(({ value }) => value);
}

/** Returns the value of a text that must contain exactly one document. */
export function parseYamlDocument(text: string, options: ParseYamlOptions = {}): unknown {
  const documents = parseYamlDocuments(text, options);
  const [first, second] = documents;
  if (first === undefined)
    throw new YamlError([{ message: 'expected one document, found none', document: 1, line: 1, column: 1 }], options.file);
  if (second !== undefined) {
    const message = `expected one document, found ${documents.length}`;
    throw new YamlError([{ message, document: second.document, line: second.line, column: 1 }], options.file);
  }
  return first.value;
}

/**
 * Parses YAML (or JSON) as kubectl does: several documents, with empty ones skipped, `yes`/`on` as booleans, and dates as strings.
 * Duplicate keys are errors by default; aliases, nesting and length are bounded; keys such as `__proto__` become plain own properties. Throws one
 * YamlError with all errors in all documents.
 */
export function parseYamlDocuments(text: string, options: ParseYamlOptions = {}): readonly YamlDocument[] {
  const { documents, problems } = readYamlDocuments(text, options);
  if (problems.length > 0) throw new YamlError(problems, options.file);
  return documents;
}

/** Parses YAML like `parseYamlDocuments`, but returns both the errors and the documents without errors. */
export function readYamlDocuments(text: string, options: ParseYamlOptions = {}): ReadYaml {
  const { maxLength = 16 * 1024 * 1024, maxDepth = 200, maxTokens = Number.POSITIVE_INFINITY } = options;
  const { maxAliasNodes = 100_000, maxAliasLength = 16 * 1024 * 1024 } = options;
  if (text.length > maxLength) {
    const message = `the text has ${text.length} characters, at most ${maxLength} are allowed`;
    return { documents: [], problems: [{ message, document: 1, line: 1, column: 1 }] };
  }
  const exceeded = findExceededLimit(text, maxDepth, maxTokens);
  if (exceeded) return { documents: [], problems: [problemAt(text, exceeded.offset, exceeded.message)] };
  const lines = new LineCounter();
  const problems: YamlProblem[] = [];
  const documents: YamlDocument[] = [];
  parseSyntax(text, lines).forEach((parsed, i) => {
    let isSound = parsed.errors.length === 0;
    const report = (offset: number, message: string): void => {
      isSound = false;
      if (problems.length >= MAX_PROBLEMS) return;
      const { line, col } = lines.linePos(offset);
      problems.push({ message: `${message}${bracesHint(text, offset)}`, document: i + 1, line, column: col });
    };
    for (const error of parsed.errors) report(error.pos[0], error.message);
    if (!isSound || parsed.contents === null || isEmpty(parsed)) return;
    const { onDuplicateKey } = options;
    const duplicate = (offset: number, key: string): void =>
      onDuplicateKey ? onDuplicateKey(key, lines.linePos(offset).line) : report(offset, `duplicate key ${JSON.stringify(key)}`);
    const value = toValue(parsed.contents, { report, duplicate, maxDepth, maxAliasNodes, maxAliasLength });
    const start = parsed.contents.range?.[0] ?? 0;
    const lineOf = (path: readonly (string | number)[]): number => lines.linePos(offsetOf(parsed, path) ?? start).line;
    if (isSound) documents.push({ value, document: i + 1, line: lines.linePos(start).line, lineOf });
  });
  return { documents, problems };
}

/** Returns the offset of the key or list item at a path, or of the closest parent that exists. */
function offsetOf({ contents }: Document.Parsed, path: readonly (string | number)[]): number | undefined {
  let node: unknown = contents;
  let offset: number | undefined;
  for (const segment of path) {
    const next = childOf(node, segment);
    if (!next) break;
    offset = next.offset ?? offset;
    node = next.node;
  }
  return offset;
}

function childOf(parent: unknown, segment: string | number): { readonly node: unknown; readonly offset: number | undefined } | undefined {
  if (isSeq(parent)) {
    const item = parent.items[Number(segment)];
    return isNode(item) ? { node: item, offset: item.range?.[0] } : undefined;
  }
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment)) : undefined;
  return pair && { node: pair.value, offset: isNode(pair.key) ? pair.key.range?.[0] : undefined };
}

/**
 * Returns a hint about the line at an offset if the line has a value that starts with `{{`, and otherwise the empty string. YAML reads such
 * a value as a map in a map, but the authors of templates mean a string.
 */
function bracesHint(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0] ?? '';
  return /(^|[:,[-])\s*\{\{/.test(line) ? '; put a value that starts with {{ in quotes' : '';
}

function parseSyntax(text: string, lineCounter: LineCounter): Document.Parsed[] {
  // Use the failsafe schema, which keeps every scalar as a string. Only scalars.ts interprets plain scalars.
  const options = {
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter,
  } as const;
  const documents = parseAllDocuments(text, options);
  return Array.isArray(documents) ? documents : [];
}

/** Returns the error with its line, column and document. Used for errors that are found before the text is parsed into documents. */
function problemAt(text: string, offset: number, message: string): YamlProblem {
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  const document = 1 + (before.match(/^---/gm)?.length ?? 0) - (before.startsWith('---') ? 1 : 0);
  return { message, document, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** Whether a document contains only comments, or nothing between two `---`. */
function isEmpty(document: Document.Parsed): boolean {
  const contents = document.contents as { source?: string; type?: string; anchor?: string; tag?: string } | null;
  return contents?.source === '' && contents.type === 'PLAIN' && contents.anchor === undefined && contents.tag === undefined;
}
