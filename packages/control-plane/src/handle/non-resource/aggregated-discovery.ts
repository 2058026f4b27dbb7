import type { Resource } from '../../registry/resource.js';
import { PROTOBUF } from '../../protobuf/layout.js';
import { parseRange } from '../../request/negotiate.js';
import type { Discovery, Group } from './discovery.js';

const VERSIONS: readonly string[] = ['v2', 'v2beta1'];

/** The format of aggregated discovery that a caller prefers to plain discovery. */
export interface AggregatedForm {
  readonly version: string;
  readonly contentType: string;
}

export function aggregatedForm(accept: string | undefined): AggregatedForm | undefined {
  for (const { type, parameters } of (accept ?? '').split(',').map(parseRange)) {
    const { g, v: version, as } = parameters;
    if (type !== 'application/json' && type !== PROTOBUF) continue;
    if (as === undefined) return undefined;
    if (as !== 'APIGroupDiscoveryList' || g !== 'apidiscovery.k8s.io' || version === undefined || !VERSIONS.includes(version)) continue;
    return { version, contentType: `${type};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList` };
  }
  return undefined;
}

/** Returns the discovery of several groups in one document: `/api` for the core group, `/apis` for the others. */
export function aggregated({ groups }: Discovery, version: string, isCore: boolean): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.filter(({ name }) => (name === '') === isCore).map(groupItem),
  };
}

function groupItem({ name, versions }: Group): object {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, resources }) => ({ version, resources: resources.map(resourceItem), freshness: 'Current' })),
  };
}

function resourceItem(resource: Resource): object {
  const { plural, singular, kind, namespaced, verbs, shortNames, categories, subresources, group, version } = resource;
  const below = [...subresources].map(([subresource, sub]) => ({
    subresource,
    responseKind: { group: sub.group, version: sub.version, kind: sub.kind },
    verbs: sub.verbs,
  }));
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(below.length > 0 ? { subresources: below } : {}),
  };
}
