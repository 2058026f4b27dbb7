import { validateDns1123Subdomain, validateLabelSelector } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { REQUEST_VARIABLES } from '../../admission/conditions.js';
import { ensureFields, fieldsOf, listOf, numberOf, textOf, type Fields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { validateMatchCondition } from './expressions.js';
import { validateClientConfig, validateReviewVersions } from './webhook-client.js';

const MAX_TIMEOUT_SECONDS = 30;
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

export const webhookConfigurationStrategy: Strategy = {
  hasGeneration: true,
  setDefaults(draft) {
    for (const webhook of listOf(draft, 'webhooks')) {
      webhook['failurePolicy'] ??= 'Fail';
      webhook['matchPolicy'] ??= 'Equivalent';
      webhook['timeoutSeconds'] ??= 10;
      ensureFields(webhook, 'namespaceSelector');
      ensureFields(webhook, 'objectSelector');
      if (draft.kind === 'MutatingWebhookConfiguration') webhook['reinvocationPolicy'] ??= 'Never';
      for (const rule of listOf(webhook, 'rules')) rule['scope'] ??= '*';
      const service = fieldsOf(fieldsOf(webhook, 'clientConfig'), 'service');
      if (service['name'] !== undefined) ensureFields(ensureFields(webhook, 'clientConfig'), 'service')['port'] ??= 443;
    }
  },
  validate(draft) {
    const names = new Set<string>();
    return listOf(draft, 'webhooks').flatMap((webhook, i) => {
      const path = `webhooks[${i}]`;
      const name = textOf(webhook, 'name') ?? '';
      const isTwice = names.has(name);
      names.add(name);
      return [...validateWebhook(webhook, path), ...(isTwice ? [fieldError.duplicate(`${path}.name`, name)] : [])];
    });
  },
};

function validateWebhook(webhook: Fields, path: string): FieldError[] {
  const timeout = numberOf(webhook, 'timeoutSeconds') ?? 1;
  return [
    ...validateName(textOf(webhook, 'name') ?? '', `${path}.name`),
    ...listOf(webhook, 'rules').flatMap((rule, i) => validateRule(rule, `${path}.rules[${i}]`)),
    ...oneOf(webhook, 'failurePolicy', ['Fail', 'Ignore'], path),
    ...oneOf(webhook, 'matchPolicy', ['Equivalent', 'Exact'], path),
    ...validateSideEffects(webhook, path),
    ...(timeout < 1 || timeout > MAX_TIMEOUT_SECONDS
      ? [fieldError.invalid(`${path}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...validateLabelSelector(fieldsOf(webhook, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...validateLabelSelector(fieldsOf(webhook, 'objectSelector'), `${path}.objectSelector`),
    ...validateClientConfig(fieldsOf(webhook, 'clientConfig'), `${path}.clientConfig`),
    ...validateReviewVersions(webhook['admissionReviewVersions'], `${path}.admissionReviewVersions`, 'must specify one of v1, v1beta1'),
    ...oneOf(webhook, 'reinvocationPolicy', ['IfNeeded', 'Never'], path),
    ...listOf(webhook, 'matchConditions').flatMap((condition, i) =>
      validateMatchCondition(condition, `${path}.matchConditions[${i}]`, REQUEST_VARIABLES),
    ),
  ];
}

function validateName(name: string, path: string): FieldError[] {
  const problems = validateDns1123Subdomain(name);
  if (problems.length > 0) return problems.map((problem) => fieldError.invalid(path, name, problem));
  if (name.split('.').length >= 3) return [];
  return [fieldError.invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function validateSideEffects(webhook: Fields, path: string): FieldError[] {
  if (webhook['sideEffects'] === undefined) {
    return [fieldError.required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun')];
  }
  return oneOf(webhook, 'sideEffects', ['None', 'NoneOnDryRun'], path);
}

function oneOf(owner: Fields, field: string, allowed: readonly string[], path: string): FieldError[] {
  const value = textOf(owner, field);
  return value === undefined || allowed.includes(value) ? [] : [fieldError.unsupported(`${path}.${field}`, value, allowed)];
}

function validateRule(rule: Fields, path: string): FieldError[] {
  const operations = textsOf(rule, 'operations');
  const resources = textsOf(rule, 'resources');
  const everything = resources.includes('*/*');
  return [
    ...alone(operations, '*', `${path}.operations`, 'operations'),
    ...operations.flatMap((operation, i) =>
      OPERATIONS.includes(operation) ? [] : [fieldError.unsupported(`${path}.operations[${i}]`, operation, OPERATIONS)],
    ),
    ...alone(textsOf(rule, 'apiGroups'), '*', `${path}.apiGroups`, 'API groups'),
    ...alone(textsOf(rule, 'apiVersions'), '*', `${path}.apiVersions`, 'API versions'),
    ...(everything ? alone(resources, '*/*', `${path}.resources`, 'resources') : alone(resources, '', `${path}.resources`, 'resources')),
    ...oneOf(rule, 'scope', ['*', 'Cluster', 'Namespaced'], path),
  ];
}

/** Validates that a list is not empty, and that a list with the wildcard `all` contains no other item. */
function alone(values: readonly string[], all: string, path: string, what: string): FieldError[] {
  if (values.length === 0) return [fieldError.required(path)];
  if (all === '' || values.length === 1 || !values.includes(all)) return [];
  return [fieldError.invalid(path, values, `if '${all}' is present, must not specify other ${what}`)];
}

function textsOf(owner: Fields, field: string): readonly string[] {
  const value = owner[field];
  return Array.isArray(value) ? value.map(String) : [];
}
