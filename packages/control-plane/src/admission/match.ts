import type { KubeObject, Selector } from '@outrigger/core';
import type { AdmissionRequest } from '../handle/contract.js';

/** Which requests are meant, as webhooks and policies say it. */
export interface Rule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope?: string;
}

/** A resource as rules speak of it. */
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
 * As which of its forms a webhook wants to see a resource, if any: as requested where a rule says so, else (with `Equivalent`) as the
 * first of its other forms that an early rule names.
 */
export function matchedForm<T extends RuleTarget>(
  { rules, matchPolicy }: Matched,
  requested: T,
  equivalents: readonly T[],
  { operation, subresource }: Pick<AdmissionRequest, 'operation' | 'subresource'>,
): T | undefined {
  const matches = (rule: Rule, target: T): boolean => ruleMatches(rule, target, operation, subresource);
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

/** `pods`, `pods/status`, `pods/*`, `*`, `*` + `/scale`: without a slash it means the objects themselves. */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', sub = ''] = pattern.split('/');
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource);
}

/** Where it was an object before or is one after, it counts. */
export function objectMatches(selector: Selector, { object, oldObject }: Pick<AdmissionRequest, 'object' | 'oldObject'>): boolean {
  const matches = (candidate: KubeObject | undefined): boolean => candidate !== undefined && selector.matches(candidate.metadata.labels);
  return selector.isEmpty || matches(object) || matches(oldObject);
}

/** Looks a namespace up; throws where there is none. */
export type NamespaceLabels = (name: string) => Readonly<Record<string, string>>;

/** Cluster-scoped objects are in no namespace and never left out; a namespace that is written is what it is about to be. */
export function namespaceMatches(selector: Selector, request: AdmissionRequest, labelsOf: NamespaceLabels): boolean {
  if (request.namespace === '' || selector.isEmpty) return true;
  const isNamespace = request.group === '' && request.resource === 'namespaces' && request.subresource === '';
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

/** Objects that configure admission are not subject to it; otherwise a mistake in one could never be undone. */
export function isExempt({ group, resource }: Pick<AdmissionRequest, 'group' | 'resource'>): boolean {
  return group === 'admissionregistration.k8s.io' && CONFIGURATIONS.has(resource);
}
