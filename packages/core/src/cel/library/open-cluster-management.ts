import type { Budget } from '../budget.js';
import { CelEvaluationError } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { BOOL, DYN, STRING } from '../types.js';
import { CelMap, type CelValue, fromJson } from '../values.js';

function hasConditions(value: CelValue): boolean {
  const conditions = value instanceof CelMap ? value.get('conditions') : undefined;
  return Array.isArray(conditions) && conditions.length > 0;
}

/** JSON is parsed into many small values, so a character of it costs more than a character of text. */
function parseJson(text: string, budget: Budget): CelValue {
  budget.charge(text.length);
  try {
    return fromJson(JSON.parse(text));
  } catch (error) {
    throw new CelEvaluationError(`parseJSON: ${(error as Error).message}`, { cause: error });
  }
}

/** The functions that Open Cluster Management adds for condition rules and placement selectors. */
export const OPEN_CLUSTER_MANAGEMENT: readonly CelFunction[] = [
  define('hasConditions', [DYN], BOOL, hasConditions),
  defineMember('parseJSON', [STRING], DYN, parseJson),
];
