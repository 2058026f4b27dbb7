import { validateLabelSelector } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { POLICY_VARIABLES } from '../../policies/evaluate.js';
import { ensureFields, fieldsOf, isFields, listOf, textOf, type Fields, type MutableFields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { validateExpression, validateMatchCondition } from './expressions.js';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];

export const admissionPolicyStrategy: Strategy = {
  hasGeneration: true,
  statusKeeps: 'metadata',
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['failurePolicy'] ??= 'Fail';
    if (isFields(spec['matchConstraints'])) defaultMatch(spec['matchConstraints']);
  },
  prepareForCreate(draft) {
    draft['status'] = {};
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
  const variables = POLICY_VARIABLES;
  const at = (owner: Fields, field: string, path: string, wanted?: 'bool' | 'string'): FieldError[] =>
    validateExpression(textOf(owner, field) ?? '', `${path}.${field}`, { variables, ...(wanted ? { wanted } : {}) });
  return [
    ...listOf(spec, 'matchConditions').flatMap((each, i) => validateMatchCondition(each, `spec.matchConditions[${i}]`, variables)),
    ...listOf(spec, 'variables').flatMap((each, i) => at(each, 'expression', `spec.variables[${i}]`)),
    ...listOf(spec, 'validations').flatMap((each, i) => [
      ...at(each, 'expression', `spec.validations[${i}]`, 'bool'),
      ...(each['messageExpression'] ? at(each, 'messageExpression', `spec.validations[${i}]`, 'string') : []),
      ...(each['reason'] === undefined || REASONS.includes(String(each['reason']))
        ? []
        : [fieldError.unsupported(`spec.validations[${i}].reason`, String(each['reason']), REASONS)]),
    ]),
  ];
}
