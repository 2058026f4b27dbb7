import { deepEqual, validateDns1123Subdomain, validateLabelSelector } from '@outrigger/core';
import { fieldError, type FieldError, pathSegmentProblems } from '@outrigger/core/schema';
import { fieldsOf, isFields, listOf, type Draft, type Fields } from '../draft.js';
import type { Strategy } from '../resource.js';

const GROUP = 'rbac.authorization.k8s.io';

const COMMON: Strategy = { allowUnconditionalUpdate: true, allowCreateOnUpdate: true, validateName: pathSegmentProblems };

export const roleStrategy: Strategy = {
  ...COMMON,
  validate: (draft) => listOf(draft, 'rules').flatMap((rule, i) => validateRule(rule, `rules[${i}]`, false)),
};

export const clusterRoleStrategy: Strategy = {
  ...COMMON,
  validate: (draft) => [
    ...listOf(draft, 'rules').flatMap((rule, i) => validateRule(rule, `rules[${i}]`, true)),
    ...validateAggregation(draft),
  ],
};

function validateAggregation(draft: Draft): FieldError[] {
  if (!isFields(draft['aggregationRule'])) return [];
  const selectors = listOf(draft['aggregationRule'], 'clusterRoleSelectors');
  if (selectors.length > 0)
    return selectors.flatMap((selector, i) => labelSelectorErrors(selector, `aggregationRule.clusterRoleSelectors[${i}]`));
  const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  return [fieldError.required('aggregationRule.clusterRoleSelectors', detail)];
}

function labelSelectorErrors(selector: Fields, path: string): FieldError[] {
  const errors = validateLabelSelector(selector, path);
  return errors.length === 0 ? [] : [...errors, fieldError.invalid(path, null, 'invalid label selector.')];
}

export const bindingStrategy: Strategy = {
  ...COMMON,
  setDefaults(draft) {
    const roleRef = draft['roleRef'];
    if (isFields(roleRef) && !roleRef['apiGroup']) roleRef['apiGroup'] = GROUP;
    for (const subject of listOf(draft, 'subjects')) {
      if (subject['kind'] !== 'ServiceAccount') subject['apiGroup'] ??= GROUP;
    }
  },
  validate: validateBinding,
  validateUpdate(draft, old) {
    const before = (old as unknown as Fields)['roleRef'];
    return deepEqual(draft['roleRef'], before) ? [] : [fieldError.invalid('roleRef', draft['roleRef'], 'cannot change roleRef')];
  },
};

function texts(rule: Fields, field: string): readonly unknown[] {
  const value = rule[field];
  return Array.isArray(value) ? value : [];
}

function validateRule(rule: Fields, path: string, mayNamePaths: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (texts(rule, 'verbs').length === 0) errors.push(fieldError.required(`${path}.verbs`, 'verbs must contain at least one value'));
  const hasPaths = texts(rule, 'nonResourceURLs').length > 0;
  if (hasPaths && !mayNamePaths) {
    return [
      ...errors,
      fieldError.invalid(`${path}.nonResourceURLs`, rule['nonResourceURLs'], 'namespaced rules cannot apply to non-resource URLs'),
    ];
  }
  const hasResources = ['apiGroups', 'resources', 'resourceNames'].some((field) => texts(rule, field).length > 0);
  if (hasPaths && hasResources) {
    errors.push(
      fieldError.invalid(
        `${path}.nonResourceURLs`,
        rule['nonResourceURLs'],
        'rules cannot apply to both regular resources and non-resource URLs',
      ),
    );
  }
  if (hasPaths) return errors;
  if (texts(rule, 'apiGroups').length === 0)
    errors.push(fieldError.required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (texts(rule, 'resources').length === 0)
    errors.push(fieldError.required(`${path}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function validateBinding(draft: Draft): FieldError[] {
  const roleRef = fieldsOf(draft, 'roleRef');
  const isNamespaced = draft.kind === 'RoleBinding';
  const errors: FieldError[] = [];
  if (roleRef['apiGroup'] !== GROUP) errors.push(fieldError.unsupported('roleRef.apiGroup', roleRef['apiGroup'], [GROUP]));
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(String(roleRef['kind']))) errors.push(fieldError.unsupported('roleRef.kind', roleRef['kind'], kinds));
  if (!roleRef['name']) errors.push(fieldError.required('roleRef.name'));
  else errors.push(...invalidNames('roleRef.name', roleRef['name'], pathSegmentProblems));
  return [...errors, ...listOf(draft, 'subjects').flatMap((subject, i) => validateSubject(subject, `subjects[${i}]`, isNamespaced))];
}

function invalidNames(field: string, name: unknown, problemsOf: (name: string) => readonly string[]): FieldError[] {
  return problemsOf(String(name)).map((problem) => fieldError.invalid(field, name, problem));
}

function validateSubject(subject: Fields, path: string, isNamespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (!subject['name']) errors.push(fieldError.required(`${path}.name`));
  switch (subject['kind']) {
    case 'ServiceAccount':
      if (subject['name']) errors.push(...invalidNames(`${path}.name`, subject['name'], validateDns1123Subdomain));
      if (!isNamespaced && !subject['namespace']) errors.push(fieldError.required(`${path}.namespace`));
      if (subject['apiGroup']) errors.push(fieldError.unsupported(`${path}.apiGroup`, subject['apiGroup'], ['']));
      break;
    case 'User':
    case 'Group':
      if (subject['apiGroup'] !== GROUP) errors.push(fieldError.unsupported(`${path}.apiGroup`, subject['apiGroup'], [GROUP]));
      break;
    default:
      errors.push(fieldError.unsupported(`${path}.kind`, subject['kind'], ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}
