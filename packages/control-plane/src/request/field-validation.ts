import { fieldError, type FieldError } from '@outrigger/core/schema';
import type { Query } from './query.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

const LEVELS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

/** Returns the treatment of unknown and duplicate fields that the request specifies. The default is to warn. */
export function fieldValidationOf(query: Query): FieldValidation {
  return (query.text('fieldValidation') || 'Warn') as FieldValidation;
}

export function validateFieldValidation(query: Query): FieldError[] {
  const value = query.text('fieldValidation') ?? '';
  return LEVELS.includes(value) ? [] : [fieldError.unsupported('fieldValidation', value, LEVELS)];
}
