import { ApiError } from '@outrigger/core';
import type { Query } from './query.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

const LEVELS: readonly string[] = ['Ignore', 'Warn', 'Strict'];

/** What to do about unknown and duplicate fields; the server's own choice is to warn. */
export function fieldValidationOf(query: Query): FieldValidation {
  const value = query.text('fieldValidation') ?? 'Warn';
  if (LEVELS.includes(value)) return value as FieldValidation;
  throw new ApiError(
    'Invalid',
    `fieldValidation: Unsupported value: ${JSON.stringify(value)}: supported values: "Ignore", "Warn", "Strict"`,
  );
}
