import type { KubeObject } from '@outrigger/core';
import type { ObjectLink, ObjectPage } from '@outrigger/console-contract';
import { toYaml } from '@outrigger/core/yaml';
import type { ConsoleRules } from '../rules.js';

/** Returns the object as YAML without managedFields, with the data of Secrets masked at any depth. */
export function objectPage(object: ObjectLink, found: KubeObject, rules: ConsoleRules): ObjectPage {
  const { managedFields: _, ...metadata } = found.metadata;
  const yaml = toYaml(rules.redact({ ...found, metadata }));
  return { object, yaml, references: referencesIn(yaml, object) };
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
