import type { PolicyRule } from './policy.js';

/** The part of a request that authorization compares with rules. */
export type Target =
  | {
      readonly verb: string;
      readonly apiGroup: string;
      readonly resource: string;
      /** The subresource; '' for the object itself. */
      readonly subresource: string;
      /**
       * The name of the object; '' for requests without a name (list, watch, create). Such a request never matches a rule with
       * resourceNames.
       */
      readonly name: string;
    }
  | { readonly verb: string; readonly path: string };

/** Whether one rule grants the request. As in Kubernetes, rules only add permissions. */
export function ruleAllows(rule: PolicyRule, target: Target): boolean {
  if (!hasOrStar(rule.verbs, target.verb)) return false;
  if ('path' in target) return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, target.path));
  return (
    hasOrStar(rule.apiGroups, target.apiGroup) &&
    (rule.resources ?? []).some((resource) => resourceMatches(resource, target.resource, target.subresource)) &&
    nameMatches(rule.resourceNames, target.name)
  );
}

/**
 * Whether a URL in a rule covers a path. A URL that ends in `*` covers every path with that prefix; at any other position `*` has no
 * special meaning.
 */
export function urlCovers(ruleUrl: string, path: string): boolean {
  if (ruleUrl === path) return true;
  return ruleUrl.endsWith('*') && path.startsWith(ruleUrl.replace(/\*+$/, ''));
}

export function hasOrStar(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

/**
 * Compares a rule's resource with the request: `pods` does not grant `pods/log`; `*` grants both; `*` + `/log` grants every resource's
 * `log`.
 */
function resourceMatches(ruleResource: string, resource: string, subresource: string): boolean {
  if (ruleResource === '*') return true;
  if (subresource === '') return ruleResource === resource;
  return ruleResource === `${resource}/${subresource}` || ruleResource === `*/${subresource}`;
}

function nameMatches(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.length === 0 || names.includes(name);
}
