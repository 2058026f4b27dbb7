import { type KubeObject, validateDns1123Label, validateDns1123Subdomain } from '@outrigger/core';
import { fieldError, type FieldError, pathSegmentProblems } from '@outrigger/core/schema';
import { decodePem } from '@outrigger/core/x509';
import { ensureFields, fieldsOf, listOf, type Draft, type Fields, type MutableFields } from '../draft.js';
import type { Strategy } from '../resource.js';

const DECISIONS: ReadonlySet<unknown> = new Set(['Approved', 'Denied']);
const FINAL: ReadonlySet<string> = new Set(['Approved', 'Denied', 'Failed']);

/**
 * The rules of CertificateSigningRequests. The requester fields are set from the authenticated identity, whatever the object contains, and
 * no update changes the spec. A request is approved or denied through `approval`, and this is final; the certificate and other conditions
 * are written through `status`.
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

const USAGES: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

function validateUsages(usages: unknown): FieldError[] {
  if (!Array.isArray(usages) || usages.length === 0) return [fieldError.required('spec.usages')];
  const seen = new Set<unknown>();
  return usages.flatMap((usage: unknown, i) => {
    const field = `spec.usages[${i}]`;
    if (!USAGES.includes(String(usage))) return [fieldError.unsupported(field, usage, USAGES)];
    if (seen.has(usage)) return [fieldError.duplicate(field, usage)];
    seen.add(usage);
    return [];
  });
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

/**
 * The valid statuses of a condition. The conditions Approved, Denied and Failed can only be True, so that no other status can revoke them.
 */
const STATUSES: readonly string[] = ['False', 'True', 'Unknown'];
const FINAL_STATUSES: readonly string[] = ['True'];

function validateConditions(draft: Draft): FieldError[] {
  const conditions = listOf(fieldsOf(draft, 'status'), 'conditions');
  const seen = new Set<unknown>();
  const errors = conditions.flatMap((condition, i) => {
    const { type, status } = condition;
    const field = `status.conditions[${i}]`;
    const isRepeated = seen.has(type);
    seen.add(type);
    return [
      ...((type ?? '') === '' ? [fieldError.required(`${field}.type`)] : []),
      ...statusErrors(status, FINAL.has(String(type)) ? FINAL_STATUSES : STATUSES, `${field}.status`),
      ...(isRepeated ? [fieldError.duplicate(`${field}.type`, type)] : []),
    ];
  });
  if (!seen.has('Approved') || !seen.has('Denied')) return errors;
  const second = conditions.findLast(({ type }) => DECISIONS.has(type));
  return [...errors, fieldError.invalid('status.conditions', second?.['type'], 'Approved and Denied conditions are mutually exclusive')];
}

function statusErrors(status: unknown, allowed: readonly string[], field: string): FieldError[] {
  if ((status ?? '') === '') return [fieldError.required(field)];
  return allowed.includes(String(status)) ? [] : [fieldError.unsupported(field, status, allowed)];
}

/**
 * Validates that an update does not remove the condition Approved, Denied or Failed, and that only a write to `approval` adds Approved or
 * Denied.
 */
function validateDecisions(draft: Draft, old: KubeObject, subresource: string): FieldError[] {
  const errors = [...FINAL].flatMap((type) => {
    const [had, has] = [hasCondition(old, type), hasCondition(draft, type)];
    const mayAdd = subresource === 'approval' || !DECISIONS.has(type);
    if (had === has || (has && mayAdd)) return [];
    return [fieldError.forbidden('status.conditions', `updates may not ${has ? 'add' : 'remove'} a condition of type "${type}"`)];
  });
  return [...errors, ...validateCertificate(draft, old)];
}

function hasCondition(object: unknown, wanted: string): boolean {
  return listOf(fieldsOf(object, 'status'), 'conditions').some(({ type }) => type === wanted);
}

/** Validates `status.certificate`. It must consist of CERTIFICATE PEM blocks, and cannot change once it is set. */
function validateCertificate(draft: Draft, old: KubeObject): FieldError[] {
  const field = 'status.certificate';
  const [before, after] = [old, draft].map((object) => String(fieldsOf(object, 'status')['certificate'] ?? ''));
  if (before === after) return [];
  const isCleared = after === '';
  const problem = isCleared ? undefined : certificateProblem(pemLabels(after));
  return [
    ...(problem === undefined ? [] : [fieldError.invalid(field, '<certificate data>', problem)]),
    ...(before === '' ? [] : [fieldError.forbidden(field, 'updates may not modify existing certificate content')]),
  ];
}

function certificateProblem(labels: readonly string[]): string | undefined {
  if (labels.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  const other = labels.find((label) => label !== 'CERTIFICATE');
  return other === undefined ? undefined : `only CERTIFICATE PEM blocks are allowed, found "${other}"`;
}

/** Whether a request is a PEM block in base64. Admission checks the content of the block when it verifies the signature. */
function isPemRequest(request: unknown): boolean {
  return pemLabels(request)[0] === 'CERTIFICATE REQUEST';
}

/** Returns the labels of the PEM blocks in a base64 text, or an empty list if the text cannot be decoded. */
function pemLabels(base64: unknown): readonly string[] {
  try {
    return decodePem(atob(String(base64))).map(({ label }) => label);
  } catch {
    return []; // The text is not base64, or a block is damaged.
  }
}
