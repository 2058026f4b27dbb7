import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import { toValue } from './convert.js';
import { YamlError, type YamlProblem } from './errors.js';
import { findDeepNesting } from './nesting.js';

export interface ParseYamlOptions {
  /** Named in errors. */
  readonly file?: string;
  /** Longer texts are refused unread. Default 16 MiB (in UTF-16 units). */
  readonly maxLength?: number;
  /** Deeper nesting is refused. Default 200. */
  readonly maxDepth?: number;
  /** How many nodes aliases may add to one document. Default 100,000. */
  readonly maxAliasNodes?: number;
  /** To how many characters aliases may expand in one document. Default 16 Mi. Above it, YamlExpansionError is thrown. */
  readonly maxAliasLength?: number;
}

export interface YamlDocument {
  readonly value: unknown;
  /** Position among the documents of the text, empty ones included, from 1. */
  readonly document: number;
  /** Where its content starts, from 1. */
  readonly line: number;
}

/** A text that is not YAML has a problem at every token; the first ones are enough. */
const MAX_PROBLEMS = 50;

/** The values of all documents that have content. See `parseYamlDocuments`. */
export function parseYaml(text: string, options: ParseYamlOptions = {}): unknown[] {
  return parseYamlDocuments(text, options).map(({ value }) => value);
}

/** The value of a text that must hold exactly one document. */
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
 * Reads YAML (or JSON) as kubectl does: several documents, empty ones skipped, `yes`/`on` as booleans, dates as texts. Duplicate
 * keys are errors; aliases, nesting and length are bounded; keys such as `__proto__` become plain own properties.
 * Throws one YamlError with all problems of all documents.
 */
export function parseYamlDocuments(text: string, options: ParseYamlOptions = {}): YamlDocument[] {
  const { file, maxLength = 16 * 1024 * 1024, maxDepth = 200, maxAliasNodes = 100_000, maxAliasLength = 16 * 1024 * 1024 } = options;
  if (text.length > maxLength) {
    const message = `the text has ${text.length} characters, at most ${maxLength} are allowed`;
    throw new YamlError([{ message, document: 1, line: 1, column: 1 }], file);
  }
  const deep = findDeepNesting(text, maxDepth);
  if (deep !== undefined) throw new YamlError([problemAt(text, deep, `nested deeper than ${maxDepth} levels`)], file);
  const lines = new LineCounter();
  const problems: YamlProblem[] = [];
  const documents: YamlDocument[] = [];
  parseSyntax(text, lines).forEach((parsed, i) => {
    const report = (offset: number, message: string): void => {
      if (problems.length >= MAX_PROBLEMS) return;
      const { line, col } = lines.linePos(offset);
      problems.push({ message, document: i + 1, line, column: col });
    };
    for (const error of parsed.errors) report(error.pos[0], error.message);
    if (parsed.errors.length > 0 || parsed.contents === null || isEmpty(parsed)) return;
    const value = toValue(parsed.contents, { report, maxDepth, maxAliasNodes, maxAliasLength });
    documents.push({ value, document: i + 1, line: lines.linePos(parsed.contents.range?.[0] ?? 0).line });
  });
  if (problems.length > 0) throw new YamlError(problems, file);
  return documents;
}

function parseSyntax(text: string, lineCounter: LineCounter): Document.Parsed[] {
  // The failsafe schema keeps every scalar as text: only scalars.ts decides what a plain one means.
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

/** For a problem found before the documents are known. */
function problemAt(text: string, offset: number, message: string): YamlProblem {
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  const document = 1 + (before.match(/^---/gm)?.length ?? 0) - (before.startsWith('---') ? 1 : 0);
  return { message, document, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** A document that contains only comments, or nothing between two `---`. */
function isEmpty(document: Document.Parsed): boolean {
  const contents = document.contents as { source?: string; type?: string; anchor?: string; tag?: string } | null;
  return contents?.source === '' && contents.type === 'PLAIN' && contents.anchor === undefined && contents.tag === undefined;
}
