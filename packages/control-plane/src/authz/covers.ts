import type { PolicyRule } from './policy.js';
import { hasOrStar, urlCovers } from './rules.js';

/**
 * Returns the part of `wanted` that `held` does not grant, split into atoms: rules with one verb, one group, one resource and at most one
 * name. An atom is granted if a single held rule covers it. An empty result means that `held` grants everything. Rules with too many atoms
 * to compare are returned whole unless one held rule covers them.
 */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const open = wanted.filter((rule) => !isEmpty(rule) && !held.some((own) => covers(own, rule)));
  if (open.reduce((sum, rule) => sum + atomCount(rule), 0) * Math.max(1, held.length) > MAX_COMPARISONS) return open;
  return open.flatMap(atoms).filter((atom) => !held.some((rule) => covers(rule, atom)));
}

/**
 * The maximum number of comparisons of an atom with a held rule in one call. It is needed because a rule of a few kilobytes can have
 * billions of atoms.
 */
const MAX_COMPARISONS = 1_000_000;

function isEmpty(rule: PolicyRule): boolean {
  return atomCount(rule) === 0;
}

function atomCount({ apiGroups = [], resources = [], verbs = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): number {
  return (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length) * verbs.length;
}

/** Merges atoms that differ only in their verb, so that an error message has one line per resource. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs = [], ...rest } = rule;
    // Rules for URLs are not merged, because Kubernetes prints one rule per verb for them.
    const key = rule.nonResourceURLs ? JSON.stringify(rule) : JSON.stringify(rest);
    const seen = merged.get(key);
    merged.set(key, seen ? { ...seen, verbs: [...(seen.verbs ?? []), ...verbs] } : rule);
  }
  return [...merged.values()];
}

/** Formats a rule as in Kubernetes' error messages: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
export function describeRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.flatMap(([name, list]) => (list && list.length > 0 ? [`${name}:${quoteList(list)}`] : []));
  return `{${shown.join(', ')}}`;
}

export function quoteList(list: readonly string[]): string {
  return `[${list.map((item) => JSON.stringify(item)).join(' ')}]`;
}

function atoms(rule: PolicyRule): PolicyRule[] {
  const names: readonly (string | undefined)[] = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  const found: PolicyRule[] = [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs ?? []) {
        for (const name of names) {
          const atom = { apiGroups: [group], resources: [resource], verbs: [verb] };
          found.push(name === undefined ? atom : { ...atom, resourceNames: [name] });
        }
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs ?? []) found.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return found;
}

/** Whether a held rule grants an atom completely. A permission for some names never covers a permission for all names. */
function covers(held: PolicyRule, atom: PolicyRule): boolean {
  return (
    all(atom.verbs, (verb) => hasOrStar(held.verbs, verb)) &&
    all(atom.apiGroups, (group) => hasOrStar(held.apiGroups, group)) &&
    all(atom.resources, (resource) => resourceCovers(held.resources, resource)) &&
    all(atom.nonResourceURLs, (url) => (held.nonResourceURLs ?? []).some((own) => urlCovers(own, url))) &&
    namesCover(held.resourceNames ?? [], atom.resourceNames ?? [])
  );
}

function all(list: readonly string[] | undefined, test: (item: string) => boolean): boolean {
  return (list ?? []).every(test);
}

function resourceCovers(held: readonly string[] | undefined, resource: string): boolean {
  if (hasOrStar(held, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && (held ?? []).includes(`*/${resource.slice(slash + 1)}`);
}

function namesCover(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => held.includes(name));
}
