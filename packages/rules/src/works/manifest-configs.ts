import { type Json, type JsonObject, isJsonObject, matchesWildcard } from '@outrigger/core';
import { feedbackRules, type Probe } from './feedback.js';
import type { ResourceIdentifier } from '../manifests/workloads.js';

/**
 * Merges Outrigger's feedback rules into the add-on author's manifestConfigs. The agent takes each setting of an object from the first
 * manifestConfig that matches the object and has this setting. The rules are therefore merged with the author's rules that apply to the
 * workload, and nothing else that the author has set changes. The author's rules come first; rules are compared by type and, for paths, by
 * name.
 */
export function manifestConfigs(authored: readonly JsonObject[], probes: readonly Probe[]): readonly JsonObject[] {
  const configs = [...authored];
  for (const probe of probes) {
    const inForce = configs.findIndex((config) => rulesOf(config).length > 0 && isAbout(config['resourceIdentifier'], probe.id));
    const own = configs.findIndex((config) => sameResource(config['resourceIdentifier'], probe.id));
    const rules = mergeRules(rulesOf(configs[inForce] ?? {}), feedbackRules(probe));
    const isOwnInForce = own >= 0 && (inForce < 0 || own <= inForce);
    if (isOwnInForce) configs[own] = { ...configs[own], feedbackRules: rules };
    // The author's rules name a pattern, so that they apply to other objects too: the workload gets rules of its own before them.
    else configs.splice(inForce < 0 ? configs.length : inForce, 0, { resourceIdentifier: identifier(probe.id), feedbackRules: rules });
  }
  return configs;
}

/** Whether manifestConfigs request feedback on a workload. */
export function asksFor(configs: readonly JsonObject[], { id }: Probe): boolean {
  return configs.some((config) => rulesOf(config).length > 0 && sameResource(config['resourceIdentifier'], id));
}

/** The identifier as the API server stores it, without empty parts. */
export function identifier(id: ResourceIdentifier): JsonObject {
  return {
    ...(id.group === '' ? {} : { group: id.group }),
    resource: id.resource,
    ...(id.namespace === '' ? {} : { namespace: id.namespace }),
    name: id.name,
  };
}

function mergeRules(authored: readonly JsonObject[], ours: readonly JsonObject[]): readonly JsonObject[] {
  const merged = [...authored];
  for (const rule of ours) {
    const at = merged.findIndex((other) => other['type'] === rule['type']);
    const existing = merged[at];
    if (existing === undefined) merged.push(rule);
    else if (rule['type'] === 'JSONPaths') merged[at] = { ...existing, jsonPaths: mergeByName(existing['jsonPaths'], rule['jsonPaths']) };
  }
  return merged;
}

function mergeByName(first: Json | undefined, second: Json | undefined): readonly Json[] {
  const list = Array.isArray(first) ? (first as readonly Json[]) : [];
  const taken = new Set(list.map((item) => (isJsonObject(item) ? item['name'] : undefined)));
  const more = Array.isArray(second) ? (second as readonly Json[]) : [];
  return [...list, ...more.filter((item) => isJsonObject(item) && !taken.has(item['name']))];
}

function rulesOf(config: JsonObject): readonly JsonObject[] {
  const rules = config['feedbackRules'];
  return Array.isArray(rules) ? (rules as readonly JsonObject[]) : [];
}

function sameResource(value: Json | undefined, id: ResourceIdentifier): boolean {
  return matches(value, id, (part, name) => part === name);
}

/** Whether a resource identifier applies to an object. Its namespace and name may be patterns. */
function isAbout(value: Json | undefined, id: ResourceIdentifier): boolean {
  return matches(value, id, matchesWildcard);
}

function matches(value: Json | undefined, id: ResourceIdentifier, isMatch: (part: string, name: string) => boolean): boolean {
  if (!isJsonObject(value)) return false;
  const part = (name: string): string => String(value[name] ?? '');
  if (part('group') !== id.group || part('resource') !== id.resource) return false;
  return isMatch(part('namespace'), id.namespace) && isMatch(part('name'), id.name);
}
