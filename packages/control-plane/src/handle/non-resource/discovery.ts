import { apiVersionOf } from '@outrigger/core';
import type { Resource } from '../../registry/resource.js';
import { byPriority } from '../../registry/version-priority.js';

/** The discovery documents for a set of resources. */
export interface Discovery {
  readonly groups: readonly Group[];
}

export interface Group {
  readonly name: string;
  /** The versions, with the preferred one first. */
  readonly versions: readonly GroupVersion[];
}

export interface GroupVersion {
  readonly version: string;
  readonly resources: readonly Resource[];
}

export function discover(resources: readonly Resource[]): Discovery {
  const groups = new Map<string, Map<string, Resource[]>>();
  for (const resource of resources) {
    const versions = groups.get(resource.group) ?? new Map<string, Resource[]>();
    groups.set(resource.group, versions);
    versions.set(resource.version, [...(versions.get(resource.version) ?? []), resource]);
  }
  return {
    groups: [...groups].map(([name, versions]) => ({
      name,
      versions: [...versions]
        .sort(([a], [b]) => byPriority(a, b))
        .map(([version, list]) => ({ version, resources: list.sort((a, b) => (a.plural < b.plural ? -1 : 1)) })),
    })),
  };
}

/** Returns the document at `/api`. */
export function coreVersions({ groups }: Discovery): object {
  const core = groups.find(({ name }) => name === '');
  return { kind: 'APIVersions', versions: core?.versions.map(({ version }) => version) ?? [], serverAddressByClientCIDRs: [] };
}

/** Returns the document at `/apis`. */
export function groupList({ groups }: Discovery): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ name }) => name !== '').map(groupEntry) };
}

/** Returns the document at `/apis/<group>`. */
export function groupOf({ groups }: Discovery, name: string): object | undefined {
  const group = groups.find((other) => other.name === name);
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

function groupEntry({ name, versions }: Group): object {
  const entries = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** Returns the document at `/api/v1` or `/apis/<group>/<version>`. */
export function resourceList({ groups }: Discovery, group: string, version: string): object | undefined {
  const found = groups.find(({ name }) => name === group)?.versions.find((other) => other.version === version);
  if (!found) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: found.resources.flatMap(resourceEntries),
  };
}

function resourceEntries(resource: Resource): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  const own = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  };
  const below = [...resource.subresources].map(([name, sub]) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(sub.group === resource.group && sub.version === resource.version ? {} : { group: sub.group, version: sub.version }),
    kind: sub.kind,
    verbs: sub.verbs,
  }));
  return [own, ...below];
}
