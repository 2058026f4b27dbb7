import { compileRegex, type Regex } from '../../regex/index.js';
import { CelEvaluationError } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { BOOL, INT, listOf, STRING } from '../types.js';

function regex(pattern: string): Regex {
  try {
    return compileRegex(pattern);
  } catch (error) {
    throw new CelEvaluationError((error as Error).message, { cause: error });
  }
}

const matches = (text: string, pattern: string): boolean => regex(pattern).test(text);

/** RE2, so that no pattern can run away. */
export const REGEX: readonly CelFunction[] = [
  define('matches', [STRING, STRING], BOOL, matches),
  defineMember('matches', [STRING, STRING], BOOL, matches),
  defineMember('find', [STRING, STRING], STRING, (text: string, pattern: string) => regex(pattern).find(text) ?? ''),
  defineMember('findAll', [STRING, STRING], listOf(STRING), (text: string, pattern: string) => regex(pattern).findAll(text)),
  defineMember('findAll', [STRING, STRING, INT], listOf(STRING), (text: string, pattern: string, limit: bigint) =>
    regex(pattern).findAll(text, limit < 0n ? undefined : Number(limit)),
  ),
];
