import type { KubeObject, Selector } from '@outrigger/core';
import type { AdmissionAttributes } from '../handle/contract.js';

/** A rule by which a webhook or policy selects requests. */
export interface Rule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope?: string;
}

/** The properties of a resource with which rules are compared. */
export interface RuleTarget {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface Matched {
  readonly rules: readonly Rule[];
  readonly matchPolicy?: string;
}

/**
 * Returns the resource (group and version) in which the webhook receives the object, or undefined if no rule matches. This is the requested
 * resource if a rule matches it. Otherwise, with `Equivalent`, it is the first equivalent resource that a rule matches, in the order of the
 * rules.
 */
export function matchedForm<T extends RuleTarget>(
  { rules, matchPolicy }: Matched,
  requested: T,
  equivalents: readonly T[],
  { operation, subResource }: Pick<AdmissionAttributes, 'operation' | 'subResource'>,
): T | undefined {
  const matches = (rule: Rule, target: T): boolean => ruleMatches(rule, target, operation, subResource);
  if (rules.some((rule) => matches(rule, requested))) return requested;
  if (matchPolicy === 'Exact') return undefined;
  for (const rule of rules) {
    const form = equivalents.find((target) => matches(rule, target));
    if (form) return form;
  }
  return undefined;
}

export function ruleMatches(rule: Rule, target: RuleTarget, operation: string, subresource: string): boolean {
  return (
    anyOr(rule.operations, operation) &&
    anyOr(rule.apiGroups, target.group) &&
    anyOr(rule.apiVersions, target.version) &&
    scopeMatches(rule.scope, target) &&
    rule.resources.some((resource) => resourceMatches(resource, target.plural, subresource))
  );
}

function anyOr(allowed: readonly string[], value: string): boolean {
  return allowed.includes('*') || allowed.includes(value);
}

function scopeMatches(scope: string | undefined, { namespaced }: RuleTarget): boolean {
  if (scope === 'Namespaced') return namespaced;
  return scope !== 'Cluster' || !namespaced;
}

/**
 * Whether a rule's pattern such as `pods`, `pods/status`, `pods/*`, `*` or `*` + `/scale` matches the resource and subresource of a
 * request. A pattern without a slash matches only requests without a subresource.
 */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', sub = ''] = pattern.split('/');
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource);
}

/** Whether a selector matches the old or the new state of an object. */
export function objectMatches(selector: Selector, { object, oldObject }: Pick<AdmissionAttributes, 'object' | 'oldObject'>): boolean {
  const matches = (candidate: KubeObject | undefined): boolean => candidate !== undefined && selector.matches(candidate.metadata.labels);
  return selector.isEmpty || matches(object) || matches(oldObject);
}

/** Returns the labels of a namespace. Throws if the namespace does not exist. */
export type NamespaceLabels = (name: string) => Readonly<Record<string, string>>;

/**
 * Whether the namespace of a request matches a selector. Cluster-scoped objects have no namespace and always match. A write to a Namespace
 * is matched by the labels that the namespace will have after the write.
 */
export function namespaceMatches(selector: Selector, request: AdmissionAttributes, labelsOf: NamespaceLabels): boolean {
  if (request.namespace === '' || selector.isEmpty) return true;
  const isNamespace = request.group === '' && request.resource === 'namespaces' && request.subResource === '';
  const labels = isNamespace && request.object ? (request.object.metadata.labels ?? {}) : labelsOf(request.namespace);
  return selector.matches(labels);
}

const CONFIGURATIONS: ReadonlySet<string> = new Set([
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/**
 * Whether an object is exempt from admission. Objects that configure admission are exempt, because otherwise a mistake in such an object
 * could never be corrected.
 */
export function isExempt({ group, resource }: Pick<AdmissionAttributes, 'group' | 'resource'>): boolean {
  return group === 'admissionregistration.k8s.io' && CONFIGURATIONS.has(resource);
}
