import { isJsonObject } from '@outrigger/core';

/** One resource that a server serves, with the names of its subresources. In a list, the preferred version of a group comes first. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Reads an `APIGroupDiscoveryList`; undefined for any other document. */
export function readAggregated(document: unknown): readonly ServedResource[] | undefined {
  if (!isJsonObject(document) || document['kind'] !== 'APIGroupDiscoveryList') return undefined;
  return objects(document['items']).flatMap((group) =>
    objects(group['versions']).flatMap((version) =>
      objects(version['resources']).map((resource) => aggregatedResource(nameOf(group), text(version['version']), resource)),
    ),
  );
}

function aggregatedResource(group: string, version: string, resource: Fields): ServedResource {
  const kind = isJsonObject(resource['responseKind']) ? text(resource['responseKind']['kind']) : '';
  return {
    group,
    version,
    kind,
    plural: text(resource['resource']),
    singular: text(resource['singularResource']),
    shortNames: texts(resource['shortNames']),
    categories: texts(resource['categories']),
    namespaced: resource['scope'] === 'Namespaced',
    verbs: texts(resource['verbs']),
    subresources: objects(resource['subresources']).map((it) => text(it['subresource'])),
  };
}

/** Reads an `APIVersions` document (core group) or an `APIGroupList`. Preferred versions come first. */
export function readGroups(document: unknown): readonly GroupVersion[] {
  if (!isJsonObject(document)) return [];
  if (document['kind'] === 'APIVersions') return texts(document['versions']).map((version) => ({ group: '', version }));
  return objects(document['groups']).flatMap((group) => {
    const preferred = isJsonObject(group['preferredVersion']) ? text(group['preferredVersion']['version']) : '';
    const versions = objects(group['versions']).map((version) => text(version['version']));
    const ordered = [...versions.filter((it) => it === preferred), ...versions.filter((it) => it !== preferred)];
    return ordered.map((version) => ({ group: text(group['name']), version }));
  });
}

/** Reads an `APIResourceList`, where subresources are entries named `plural/subresource`. */
export function readResources(served: GroupVersion, document: unknown): readonly ServedResource[] {
  if (!isJsonObject(document)) return [];
  const entries = objects(document['resources']);
  const names = entries.map((entry) => text(entry['name']));
  return entries.flatMap((entry) => {
    const plural = text(entry['name']);
    if (plural.includes('/')) return [];
    return {
      ...served,
      kind: text(entry['kind']),
      plural,
      singular: text(entry['singularName']),
      shortNames: texts(entry['shortNames']),
      categories: texts(entry['categories']),
      namespaced: entry['namespaced'] === true,
      verbs: texts(entry['verbs']),
      subresources: names.flatMap((name) => (name.startsWith(`${plural}/`) ? [name.slice(plural.length + 1)] : [])),
    };
  });
}

type Fields = Readonly<Record<string, unknown>>;

function nameOf(object: Fields): string {
  return isJsonObject(object['metadata']) ? text(object['metadata']['name']) : '';
}

function objects(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
