import { errorMessage, validateQualifiedName } from '@outrigger/core';
import { CelCompileError } from '@outrigger/core/cel';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { compileCondition, type Variables } from '../../admission/conditions.js';
import { type Fields, textOf } from '../draft.js';

export interface ExpectedExpression {
  readonly variables: Variables;
  /** The type that the expression must return; by default any type. An expression whose type is known only at run time is accepted. */
  readonly wanted?: 'bool' | 'string';
}

/** Validates an expression about requests. */
export function validateExpression(expression: string, path: string, { variables, wanted }: ExpectedExpression): FieldError[] {
  if (expression.trim() === '') return [fieldError.required(path)];
  try {
    const { type } = compileCondition(expression, variables);
    if (wanted === undefined || type === wanted || type === 'dyn') return [];
    return [fieldError.invalid(path, expression, `must evaluate to ${wanted} but got ${type}`)];
  } catch (error) {
    const why = error instanceof CelCompileError ? `compilation failed: ${error.message}` : errorMessage(error);
    return [fieldError.invalid(path, expression, why)];
  }
}

/** Like `validateExpression`, for an entry of `matchConditions`. */
export function validateMatchCondition(condition: Fields, path: string, variables: Variables): FieldError[] {
  const name = textOf(condition, 'name') ?? '';
  return [
    ...validateExpression(textOf(condition, 'expression') ?? '', `${path}.expression`, { variables, wanted: 'bool' }),
    ...(name === '' ? [fieldError.required(`${path}.name`)] : []),
    ...(name === '' ? [] : validateQualifiedName(name)).map((problem) => fieldError.invalid(`${path}.name`, name, problem)),
  ];
}
