import type { Regex } from '../../regex/index.js';
import type { Budget } from '../budget.js';
import { CelBudgetError, CelEvaluationError } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { BOOL, INT, listOf, STRING } from '../types.js';

function regex(pattern: string, budget: Budget): Regex {
  try {
    return budget.regex(pattern);
  } catch (error) {
    if (error instanceof CelBudgetError) throw error;
    throw new CelEvaluationError((error as Error).message, { cause: error });
  }
}

function matches(text: string, pattern: string, budget: Budget): boolean {
  const compiled = regex(pattern, budget);
  budget.chargeMatch(text.length, compiled.programSize);
  return compiled.test(text);
}

function find(text: string, pattern: string, budget: Budget): string {
  const compiled = regex(pattern, budget);
  budget.chargeMatch(text.length, compiled.programSize);
  return compiled.find(text) ?? '';
}

function findAll(text: string, pattern: string, budget: Budget, limit?: number): string[] {
  const compiled = regex(pattern, budget);
  return compiled.findAll(text, (rest) => budget.chargeMatch(rest, compiled.programSize), limit);
}

/** The functions for RE2 patterns. Before a match runs, its worst case (string length times program size) is charged. */
export const REGEX: readonly CelFunction[] = [
  define('matches', [STRING, STRING], BOOL, matches),
  defineMember('matches', [STRING, STRING], BOOL, matches),
  defineMember('find', [STRING, STRING], STRING, find),
  defineMember('findAll', [STRING, STRING], listOf(STRING), (text: string, pattern: string, budget: Budget) =>
    findAll(text, pattern, budget),
  ),
  defineMember('findAll', [STRING, STRING, INT], listOf(STRING), (text: string, pattern: string, limit: bigint, budget: Budget) =>
    findAll(text, pattern, budget, limit < 0n ? undefined : Number(limit)),
  ),
];
