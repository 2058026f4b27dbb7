import type { KubeObject } from '@outrigger/core';
import type { FieldError } from '@outrigger/core/schema';
import { fieldProblem } from './field-problem.js';
import { metadataTypeProblems } from './metadata.js';

/** Formats the schema violations of an object for people. Returns at least one message if there is an error. */
export function schemaProblems(object: KubeObject, errors: readonly FieldError[]): readonly string[] {
  const problems = [
    ...metadataTypeProblems(object.metadata),
    ...errors.filter((error) => error.field !== 'metadata').flatMap((error) => fieldProblem(error, object) ?? []),
  ];
  return problems.length === 0 ? errors.map(({ detail }) => detail) : [...new Set(problems)];
}
