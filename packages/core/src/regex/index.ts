import { RE2JS } from 're2js';
import { BoundedCache } from '../memo/bounded-cache.js';
import { estimateProgramSize } from './program-size.js';

export { estimateProgramSize } from './program-size.js';

/**
 * A compiled RE2 pattern. For any pattern, matching takes at most the length of the string times the size of the program. Callers that run
 * tenants' patterns charge this product before they match.
 */
export interface Regex {
  /** The number of instructions in the compiled pattern. */
  readonly programSize: number;
  /** Whether the pattern occurs anywhere in `text`. Only anchors in the pattern restrict the position, as in Go. */
  test(text: string): boolean;
  /** Returns the leftmost match, or undefined. */
  find(text: string): string | undefined;
  /**
   * Returns the matches from left to right, at most `limit` of them. Each search may read the rest of the text, so `onSearch` is called
   * before each search with the length of the rest. `onSearch` can throw to stop the search.
   */
  findAll(text: string, onSearch: (rest: number) => void, limit?: number): string[];
}

const MAX_PATTERN_LENGTH = 10_000;
/**
 * The maximum size of a program, much larger than patterns for names, versions or addresses need. For example, `a{1000}` repeated ten times
 * is rejected.
 */
export const MAX_PROGRAM_SIZE = 10_000;
const SHOWN_LENGTH = 200;

/** The cache of programs is limited by their size, not their number, so that many large programs do not exhaust the memory. */
const CACHE_SIZE = 200_000;
const cache = new BoundedCache<Regex>({ limit: CACHE_SIZE, weightOf: (pattern, { programSize }) => pattern.length + programSize });

/**
 * Compiles a pattern in RE2 syntax (that of Go, CRD `pattern` and CEL `matches`), or throws an error that names the pattern.
 *
 * All patterns, including simple ones, run on the linear engine. Its speed of 2.9 million tests per second is more than enough, and a
 * second engine for "safe" patterns would have different semantics.
 */
export function compileRegex(pattern: string): Regex {
  return cache.get(pattern, compile);
}

function compile(pattern: string): Regex {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new Error(`invalid regular expression ${shown(pattern)}: ${pattern.length} characters, at most ${MAX_PATTERN_LENGTH} allowed`);
  }
  const estimate = estimateProgramSize(pattern);
  // For optional repetitions the estimate is higher than the real size, by a factor of at most about two.
  if (estimate > 2 * MAX_PROGRAM_SIZE) throw tooLarge(pattern);
  const program = parse(pattern);
  const programSize = program.programSize();
  if (programSize > MAX_PROGRAM_SIZE) throw tooLarge(pattern);
  return {
    programSize,
    test: (text) => program.test(text),
    find: (text) => {
      const matcher = program.matcher(text);
      return matcher.find() ? (matcher.group() ?? undefined) : undefined;
    },
    findAll: (text, onSearch, limit = Number.POSITIVE_INFINITY) => {
      const found: string[] = [];
      const matcher = program.matcher(text);
      let rest = text.length;
      while (found.length < limit) {
        onSearch(rest);
        if (!matcher.find()) break;
        found.push(matcher.group() ?? '');
        rest = text.length - matcher.end();
      }
      return found;
    },
  };
}

function parse(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`invalid regular expression ${shown(pattern)}: ${reason}`, { cause: error });
  }
}

function tooLarge(pattern: string): Error {
  return new Error(
    `invalid regular expression ${shown(pattern)}: expression too large: its repetitions expand to more than ${MAX_PROGRAM_SIZE} instructions`,
  );
}

function shown(pattern: string): string {
  return pattern.length <= SHOWN_LENGTH ? `"${pattern}"` : `"${pattern.slice(0, SHOWN_LENGTH)}…"`;
}
