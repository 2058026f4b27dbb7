import { type KubeObject, validateDns1123Label, validateDns1123Subdomain } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, listOf, type Draft, type Fields, type MutableFields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { pathSegmentProblems } from './rbac.js';

const DECISIONS: ReadonlySet<unknown> = new Set(['Approved', 'Denied']);

/**
 * The rules of CertificateSigningRequests. The requester fields are set from the authenticated identity, whatever the object contains, and
 * the request is immutable. Decisions are made through `approval` and are final; the certificate and other conditions are written through
 * `status`.
 */
export const certificateRequestStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  validateName: pathSegmentProblems,
  prepareForCreate(draft, { identity }) {
    const spec = ensureFields(draft, 'spec');
    for (const name of ['username', 'uid', 'groups', 'extra']) delete spec[name];
    spec['username'] = identity.user;
    if (identity.uid) spec['uid'] = identity.uid;
    if (identity.groups.length > 0) spec['groups'] = [...identity.groups];
    if (identity.extra && Object.keys(identity.extra).length > 0) spec['extra'] = { ...identity.extra };
    draft['status'] = {};
  },
  prepareForUpdate(draft, old, subresource, { now }) {
    draft['spec'] = (old as unknown as Fields)['spec'];
    const before = fieldsOf(old, 'status');
    const { conditions: _, ...kept } = before;
    if (subresource === 'approval') draft['status'] = { ...kept, ...conditionsOf(draft) };
    else if (subresource === '') draft['status'] = before;
    stampConditions(draft, old, now);
  },
  validate(draft) {
    const spec = fieldsOf(draft, 'spec');
    const errors: FieldError[] = [];
    if (!isPemRequest(spec['request'])) {
      errors.push(fieldError.invalid('spec.request', spec['request'], 'PEM block type must be CERTIFICATE REQUEST'));
    }
    errors.push(...validateUsages(spec['usages']), ...validateSignerName(spec['signerName']));
    const seconds = spec['expirationSeconds'];
    if (typeof seconds === 'number' && seconds < 600)
      errors.push(fieldError.invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 600 seconds (10 minutes)'));
    return [...errors, ...validateConditions(draft)];
  },
  validateUpdate: validateDecisions,
};

function validateUsages(usages: unknown): FieldError[] {
  if (!Array.isArray(usages) || usages.length === 0) return [fieldError.required('spec.usages')];
  return usages.flatMap((usage, i) => (usages.indexOf(usage) < i ? [fieldError.duplicate(`spec.usages[${i}]`, usage)] : []));
}

/** Validates a signer name `<domain>/<path>`, whose domain names the owner of the signer. */
function validateSignerName(name: unknown): FieldError[] {
  const field = 'spec.signerName';
  if (typeof name !== 'string' || name === '') return [fieldError.required(field)];
  if (name === 'kubernetes.io/legacy-unknown')
    return [fieldError.invalid(field, name, 'the legacy signerName is not allowed via this API version')];
  const [domain = '', path, ...more] = name.split('/');
  if (path === undefined || more.length > 0)
    return [fieldError.invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const labels = domain.split('.');
  if (labels.length < 2) return [fieldError.invalid(field, domain, 'should be a domain with at least two segments separated by dots')];
  return [
    ...labels.flatMap((label) => partProblems(domain, label, validateDns1123Label(label))),
    ...partProblems(path, path, validateDns1123Subdomain(path)),
  ];
}

function partProblems(value: string, part: string, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => fieldError.invalid('spec.signerName', value, `validating label "${part}": ${problem}`));
}

function conditionsOf(draft: Draft): Fields {
  const { conditions } = fieldsOf(draft, 'status');
  return conditions === undefined ? {} : { conditions };
}

function stampConditions(draft: Draft, old: KubeObject, now: string): void {
  const before = new Map(listOf(fieldsOf(old, 'status'), 'conditions').map((condition) => [condition['type'], condition]));
  const conditions = listOf(fieldsOf(draft, 'status'), 'conditions');
  if (conditions.length === 0) return;
  const stamped = conditions.map((condition): MutableFields => {
    const previous = before.get(condition['type']);
    return {
      status: 'True',
      lastUpdateTime: now,
      lastTransitionTime: previous?.['status'] === condition['status'] ? (previous?.['lastTransitionTime'] ?? now) : now,
      ...condition,
    };
  });
  draft['status'] = { ...fieldsOf(draft, 'status'), conditions: stamped };
}

function validateConditions(draft: Draft): FieldError[] {
  const conditions = listOf(fieldsOf(draft, 'status'), 'conditions');
  const types = new Set(conditions.map(({ type }) => type));
  if (!types.has('Approved') || !types.has('Denied')) return [];
  const second = conditions.findLast(({ type }) => DECISIONS.has(type));
  return [fieldError.invalid('status.conditions', second?.['type'], 'Approved and Denied conditions are mutually exclusive')];
}

function validateDecisions(draft: Draft, old: KubeObject, subresource: string): FieldError[] {
  const decisions = (object: unknown): string[] =>
    listOf(fieldsOf(object, 'status'), 'conditions')
      .filter(({ type }) => DECISIONS.has(type))
      .map(({ type }) => String(type));
  const [before, after] = [decisions(old), decisions(draft)];
  const removed = before
    .filter((type) => !after.includes(type))
    .map((type) => fieldError.forbidden('status.conditions', `updates may not remove a condition of type "${type}"`));
  if (subresource === 'approval') return removed;
  const added = after
    .filter((type) => !before.includes(type))
    .map((type) => fieldError.forbidden('status.conditions', `updates may not add a condition of type "${type}"`));
  return [...removed, ...added];
}

/** Whether a request is the base64 of a PEM block. The signer checks the content of the block. */
function isPemRequest(request: unknown): boolean {
  if (typeof request !== 'string') return false;
  try {
    return /-----BEGIN CERTIFICATE REQUEST-----[^-]+-----END CERTIFICATE REQUEST-----/.test(atob(request));
  } catch {
    return false; // The text is not base64.
  }
}
