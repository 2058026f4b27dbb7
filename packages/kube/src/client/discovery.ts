import { type ApiResponse, type Clock, groupVersionPath, isApiError, type Kind } from '@outrigger/core';
import { readAggregated, readGroups, readResources, type ServedResource } from './discovery-documents.js';

/** The kinds that the server serves. They are read once. They are read again if a caller requests a kind that was not listed. */
export interface Discovery {
  resources(): Promise<readonly ServedResource[]>;
  serves(kind: Pick<Kind, 'group' | 'version' | 'kind'>): Promise<boolean>;
  /**
   * Returns the resource and scope for a group, version and kind. Without a version, uses the server's preferred version. The preferred
   * version may change while the server runs, so `maxAgeMs` limits the age of the discovery data that is used.
   */
  kindOf(type: { readonly group: string; readonly version?: string; readonly kind: string }, maxAgeMs?: number): Promise<Kind | undefined>;
  /** Forgets what was read. */
  invalidate(): void;
}

export interface DiscoveryContext {
  readonly get: (path: string, accept: string) => Promise<ApiResponse>;
  readonly clock: Clock;
}

/** Minimum time between two discovery reads for kinds that the server does not serve. */
const MISS_REST_MS = 5_000;

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

export function createDiscovery({ get, clock }: DiscoveryContext): Discovery {
  let known: { readonly resources: Promise<readonly ServedResource[]>; readonly readAt: number } | undefined;

  function read(): Promise<readonly ServedResource[]> {
    const resources = readAll(get);
    const entry = { resources, readAt: clock.monotonic() };
    known = entry;
    // A failed read is not cached; the next call reads again.
    resources.catch(() => {
      if (known === entry) known = undefined;
    });
    return resources;
  }

  async function find(matches: (resource: ServedResource) => boolean, maxAgeMs = Infinity): Promise<ServedResource | undefined> {
    const current = known !== undefined && clock.monotonic() - known.readAt < maxAgeMs ? known : undefined;
    const found = (await (current?.resources ?? read())).find(matches);
    const isFresh = known !== undefined && clock.monotonic() - known.readAt < MISS_REST_MS;
    return found || isFresh ? found : (await read()).find(matches);
  }

  return {
    resources: () => known?.resources ?? read(),
    serves: async (kind) =>
      (await find((it) => it.group === kind.group && it.version === kind.version && it.kind === kind.kind)) !== undefined,
    async kindOf({ group, version, kind }, maxAgeMs) {
      const isWanted = (it: ServedResource): boolean =>
        it.group === group && it.kind === kind && (version === undefined || it.version === version);
      const found = await find(isWanted, maxAgeMs);
      return found && { group, version: found.version, kind, plural: found.plural, namespaced: found.namespaced };
    },
    invalidate: () => {
      known = undefined;
    },
  };
}

async function readAll(get: DiscoveryContext['get']): Promise<readonly ServedResource[]> {
  const roots = await Promise.all(['/api', '/apis'].map((path) => get(path, AGGREGATED)));
  const lists = await Promise.all(roots.map(async (root) => readAggregated(root.body) ?? readOneByOne(get, root.body)));
  return lists.flat();
}

/** Reads one document per group version, because servers before 1.27 list only groups. */
async function readOneByOne(get: DiscoveryContext['get'], root: unknown): Promise<readonly ServedResource[]> {
  const documents = readGroups(root).map(async (served) => {
    try {
      const response = await get(groupVersionPath(served), 'application/json');
      return readResources(served, response.body);
    } catch (error) {
      // Ignore an aggregated API whose backend is unavailable, so that it does not affect other APIs.
      if (isApiError(error, 'ServiceUnavailable') || isApiError(error, 'NotFound')) return [];
      throw error;
    }
  });
  return (await Promise.all(documents)).flat();
}
