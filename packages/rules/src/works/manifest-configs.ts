import { type Json, type JsonObject, isJsonObject } from '@outrigger/core';
import { feedbackRules, type Probe } from './feedback.js';
import type { ResourceIdentifier } from '../manifests/workloads.js';

/**
 * Merges Outrigger's feedback rules into the add-on author's manifestConfigs. A manifestConfig for a probed workload keeps all settings of
 * the author; only feedback rules that the author has not set are added, after the author's rules. Rules are compared by type and, for
 * paths, by name.
 */
export function manifestConfigs(authored: readonly JsonObject[], probes: readonly Probe[]): readonly JsonObject[] {
  const configs = [...authored];
  for (const probe of probes) {
    const at = configs.findIndex((config) => sameResource(config['resourceIdentifier'], probe.id));
    const existing = configs[at];
    if (existing === undefined) configs.push({ resourceIdentifier: identifier(probe.id), feedbackRules: feedbackRules(probe) });
    else configs[at] = { ...existing, feedbackRules: mergeRules(rulesOf(existing), feedbackRules(probe)) };
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
  if (!isJsonObject(value)) return false;
  const part = (name: string): string => String(value[name] ?? '');
  return part('group') === id.group && part('resource') === id.resource && part('namespace') === id.namespace && part('name') === id.name;
}
