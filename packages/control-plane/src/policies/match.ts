import { compileLabelSelector } from '@outrigger/core';
import { matchedForm, namespaceMatches, objectMatches, type NamespaceLabels, type RuleTarget } from '../admission/match.js';
import type { AdmissionAttributes } from '../handle/contract.js';
import type { MatchResources, NamedRule } from './contract.js';

/**
 * Returns the resource that a policy or a binding matches: the requested one, or the same resource in an equivalent group and version.
 * Returns undefined if the request does not match.
 */
export function wantedForm<T extends RuleTarget>(
  wanted: MatchResources,
  request: AdmissionAttributes,
  forms: { readonly requested: T; readonly equivalents: readonly T[] },
  namespaceLabels: NamespaceLabels,
): T | undefined {
  const { namespaceSelector = {}, objectSelector = {}, resourceRules = [], excludeResourceRules = [], matchPolicy = 'Equivalent' } = wanted;
  if (!namespaceMatches(compileLabelSelector(namespaceSelector), request, namespaceLabels)) return undefined;
  if (!objectMatches(compileLabelSelector(objectSelector), request)) return undefined;
  const formOf = (rules: readonly NamedRule[]): T | undefined =>
    matchedForm({ rules: rules.filter((rule) => names(rule, request)), matchPolicy }, forms.requested, forms.equivalents, request);
  if (formOf(excludeResourceRules)) return undefined;
  return resourceRules.length === 0 ? forms.requested : formOf(resourceRules);
}

function names({ resourceNames = [] }: NamedRule, { name }: AdmissionAttributes): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}
