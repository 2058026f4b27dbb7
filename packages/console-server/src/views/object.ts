import { type JsonObject, type KubeObject, isJsonObject } from '@outrigger/core';
import type { ObjectLink, ObjectPage } from '@outrigger/console-contract';
import { toYaml } from '@outrigger/core/yaml';
import type { ConsoleRules } from '../rules.js';

/** Returns the object as YAML without managedFields, with the data of Secrets masked at any depth. */
export function objectPage(object: ObjectLink, found: KubeObject, rules: ConsoleRules): ObjectPage {
  const { managedFields: _, ...metadata } = found.metadata;
  const yaml = toYaml(maskSecrets({ ...found, metadata }, rules));
  return { object, yaml, references: referencesIn(yaml, object) };
}

/** Annotations that contain a copy of an object. The copy of a Secret would reveal the masked data. */
const COPIES = ['kubectl.kubernetes.io/last-applied-configuration', 'outrigger.dev/pre-delete-manifests'];

function maskSecrets(value: unknown, rules: ConsoleRules): JsonObject {
  const masked = isJsonObject(value) && value['kind'] === 'Secret' ? (rules.redact(value) as JsonObject) : (value as JsonObject);
  return Object.fromEntries(
    Object.entries(masked).map(([key, content]) => [key, COPIES.includes(key) ? maskedCopy(content, rules) : maskValue(content, rules)]),
  ) as JsonObject;
}

function maskValue(value: unknown, rules: ConsoleRules): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => maskValue(item, rules));
  return isJsonObject(value) ? maskSecrets(value, rules) : value;
}

function maskedCopy(text: unknown, rules: ConsoleRules): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.stringify(maskValue(JSON.parse(text) as unknown, rules));
  } catch {
    return '(hidden: not readable as JSON)';
  }
}

/** Finds the lines that reference another object, such as an owner or a config, by the fields next to a `name`. */
function referencesIn(yaml: string, self: ObjectLink): ObjectPage['references'] {
  const lines = yaml.split('\n');
  return lines.flatMap((line, index) => {
    const name = /^(\s*)(?:- )?name: (\S+)$/.exec(line)?.[2];
    if (name === undefined || name === self.name) return [];
    const around = lines.slice(Math.max(0, index - 4), index + 5).join('\n');
    const kind = /kind: (ClusterManagementAddOn|ManagedCluster|AddOnTemplate)\b/.exec(around)?.[1];
    const resource = /resource: (addontemplates|addondeploymentconfigs)\b/.exec(around)?.[1];
    const object = kind === undefined ? (resource === undefined ? undefined : configLink(resource, name, around)) : KINDS[kind]?.(name);
    return object === undefined ? [] : [{ line: index, object }];
  });
}

const ADDON = { group: 'addon.open-cluster-management.io', version: 'v1alpha1' } as const;
const KINDS: Readonly<Record<string, (name: string) => ObjectLink>> = {
  ClusterManagementAddOn: (name) => ({ ...ADDON, resource: 'clustermanagementaddons', name }),
  AddOnTemplate: (name) => ({ ...ADDON, resource: 'addontemplates', name }),
  ManagedCluster: (name) => ({ group: 'cluster.open-cluster-management.io', version: 'v1', resource: 'managedclusters', name }),
};

function configLink(resource: string, name: string, around: string): ObjectLink {
  const namespace = /namespace: (\S+)/.exec(around)?.[1];
  return { ...ADDON, resource, name, ...(namespace === undefined ? {} : { namespace }) };
}
