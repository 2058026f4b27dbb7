import { Lexer } from 'yaml';

/** The tokens of the lexer that have no text. `\u001f` marks the start of a scalar. */
const ZERO_WIDTH = new Set(['\u0002', '\u0018', '\u001f']);
const SCALAR_AHEAD = '\u001f';
const INDENT_PER_LEVEL = 4;

/** The part of a text that exceeds a limit. */
export interface ExceededLimit {
  readonly offset: number;
  readonly message: string;
}

/**
 * Returns the place at which a text nests deeper than `maxDepth` levels or has more than `maxTokens` tokens, or undefined. This check works
 * on tokens, before any recursive code runs, because the library's composer overflows the stack, and sometimes crashes the process, on a
 * few thousand levels.
 *
 * The result is exact for brackets and for `- - -`. Nesting by indentation is limited only roughly, by columns. The converter later counts
 * the exact levels.
 */
export function findExceededLimit(text: string, maxDepth: number, maxTokens: number): ExceededLimit | undefined {
  let offset = 0;
  let tokens = 0;
  let flowDepth = 0;
  let indicatorsOnLine = 0;
  let isLineStart = true;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > maxTokens) return { offset, message: `the text has more than ${maxTokens} YAML tokens` };
    if (ZERO_WIDTH.has(token)) {
      isScalar = token === SCALAR_AHEAD;
      continue;
    }
    if (isScalar) {
      isScalar = false;
      isLineStart = token.endsWith('\n');
      indicatorsOnLine = isLineStart ? 0 : indicatorsOnLine;
      offset += token.length;
      continue;
    }
    if (token === '[' || token === '{') flowDepth++;
    else if (token === ']' || token === '}') flowDepth = Math.max(0, flowDepth - 1);
    else if (token === '-' || token === '?') indicatorsOnLine++;
    else if (token.startsWith('\n') || token.startsWith('\r')) indicatorsOnLine = 0;
    const indent = isLineStart && flowDepth === 0 && token.startsWith(' ') ? token.length : 0;
    if (flowDepth > maxDepth || indicatorsOnLine > maxDepth || indent > maxDepth * INDENT_PER_LEVEL)
      return { offset, message: `nested deeper than ${maxDepth} levels` };
    isLineStart = token.startsWith('\n') || token.startsWith('\r');
    offset += token.length;
  }
  return undefined;
}
