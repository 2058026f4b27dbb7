import { fieldError, invalidError } from '@outrigger/core/schema';
import type { FieldError } from '@outrigger/core/schema';
import type { ApiRequest } from '@outrigger/core';
import { fieldValidationOf, validateFieldValidation, type FieldValidation } from './field-validation.js';
import { Query } from './query.js';

/** The query options of a create, update or patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string | undefined;
  readonly fieldValidation: FieldValidation;
  /** Whether a server-side apply takes fields from other field managers. The other writes ignore or reject this option. */
  readonly force: boolean | undefined;
}

const MAX_MANAGER_LENGTH = 128;

export function writeOptionsOf(request: ApiRequest, kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'): WriteOptions {
  const query = new Query(request.query);
  const manager = query.text('fieldManager');
  const errors = [...validateDryRun(query.all('dryRun')), ...validateManager(manager), ...validateFieldValidation(query)];
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: query.all('dryRun').includes('All'),
    fieldManager: manager,
    fieldValidation: fieldValidationOf(query),
    force: query.has('force') ? query.flag('force') : undefined,
  };
}

/** Returns the program name in the user agent, which is the field manager if the request does not specify one. */
export function managerFromUserAgent(userAgent: string | undefined): string {
  const program = (userAgent ?? '').split('/')[0] ?? '';
  return program === '' ? 'unknown' : program.slice(0, MAX_MANAGER_LENGTH);
}

export function validateDryRun(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [fieldError.unsupported('dryRun', values, ['All'])];
}

function validateManager(manager = ''): FieldError[] {
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(manager)?.[0];
  return [
    ...(manager.length <= MAX_MANAGER_LENGTH ? [] : [fieldError.tooLong('fieldManager', MAX_MANAGER_LENGTH)]),
    ...(unprintable === undefined ? [] : [fieldError.invalid('fieldManager', manager, unprintableProblem(manager, unprintable))]),
  ];
}

function unprintableProblem(manager: string, character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `invalid character U+${code} (at position ${manager.indexOf(character)})`;
}
