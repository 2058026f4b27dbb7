import { errorMessage, validateLabelSelector } from '@outrigger/core';
import { CelCompileError } from '@outrigger/core/cel';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { compileCondition } from '../../admission/conditions.js';
import { POLICY_VARIABLES } from '../../policies/evaluate.js';
import { ensureFields, fieldsOf, isFields, listOf, textOf, type Fields, type MutableFields } from '../draft.js';
import type { Strategy } from '../resource.js';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];

export const admissionPolicyStrategy: Strategy = {
  hasGeneration: true,
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['failurePolicy'] ??= 'Fail';
    if (isFields(spec['matchConstraints'])) defaultMatch(spec['matchConstraints']);
  },
  validate(draft) {
    const spec = fieldsOf(draft, 'spec');
    const constraints = fieldsOf(spec, 'matchConstraints');
    return [
      ...(isFields(spec['matchConstraints']) ? [] : [fieldError.required('spec.matchConstraints')]),
      ...(isFields(spec['matchConstraints']) && listOf(constraints, 'resourceRules').length === 0
        ? [fieldError.required('spec.matchConstraints.resourceRules')]
        : []),
      ...validateSelectors(constraints, 'spec.matchConstraints'),
      ...validateExpressions(spec),
    ];
  },
};

export const admissionPolicyBindingStrategy: Strategy = {
  hasGeneration: true,
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    if (isFields(spec['matchResources'])) defaultMatch(spec['matchResources']);
  },
  validate(draft) {
    const spec = fieldsOf(draft, 'spec');
    const actions = spec['validationActions'];
    const list = Array.isArray(actions) ? actions.map(String) : [];
    return [
      ...(textOf(spec, 'policyName') ? [] : [fieldError.required('spec.policyName')]),
      ...validateSelectors(fieldsOf(spec, 'matchResources'), 'spec.matchResources'),
      ...(list.length === 0 ? [fieldError.required('spec.validationActions')] : []),
      ...list.flatMap((action, i) =>
        ACTIONS.includes(action) ? [] : [fieldError.unsupported(`spec.validationActions[${i}]`, action, ACTIONS)],
      ),
      ...(list.includes('Deny') && list.includes('Warn')
        ? [
            fieldError.invalid(
              'spec.validationActions',
              list,
              'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
            ),
          ]
        : []),
    ];
  },
};

function defaultMatch(match: MutableFields): void {
  match['matchPolicy'] ??= 'Equivalent';
  ensureFields(match, 'namespaceSelector');
  ensureFields(match, 'objectSelector');
  for (const rule of [...listOf(match, 'resourceRules'), ...listOf(match, 'excludeResourceRules')]) rule['scope'] ??= '*';
}

function validateSelectors(match: Fields, path: string): FieldError[] {
  return ['namespaceSelector', 'objectSelector'].flatMap((field) => validateLabelSelector(fieldsOf(match, field), `${path}.${field}`));
}

function validateExpressions(spec: Fields): FieldError[] {
  return [
    ...listOf(spec, 'matchConditions').flatMap((each, i) => expressionIn(each, 'expression', `spec.matchConditions[${i}]`, 'bool')),
    ...listOf(spec, 'variables').flatMap((each, i) => expressionIn(each, 'expression', `spec.variables[${i}]`)),
    ...listOf(spec, 'validations').flatMap((each, i) => [
      ...expressionIn(each, 'expression', `spec.validations[${i}]`, 'bool'),
      ...(each['messageExpression'] ? expressionIn(each, 'messageExpression', `spec.validations[${i}]`, 'string') : []),
      ...(each['reason'] === undefined || REASONS.includes(String(each['reason']))
        ? []
        : [fieldError.unsupported(`spec.validations[${i}].reason`, String(each['reason']), REASONS)]),
    ]),
  ];
}

function expressionIn(owner: Fields, field: string, path: string, wanted?: string): FieldError[] {
  const at = `${path}.${field}`;
  const expression = textOf(owner, field) ?? '';
  if (expression.trim() === '') return [fieldError.required(at, `${field} is not specified`)];
  try {
    const { type } = compileCondition(expression, POLICY_VARIABLES);
    if (wanted === undefined || type === wanted || type === 'dyn') return [];
    return [fieldError.invalid(at, expression, `must evaluate to ${wanted}`)];
  } catch (error) {
    return [
      fieldError.invalid(at, expression, error instanceof CelCompileError ? `compilation failed: ${error.message}` : errorMessage(error)),
    ];
  }
}
