import type { AppliedResource } from '@outrigger/api';
import { backoffMs, type Clock, type Kind, parseApiVersion } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** The result of looking up a manifest's kind. A kind that is not served is looked up again, because its CRD may be created later. */
export type KindLookup =
  | { readonly state: 'served'; readonly kind: Kind }
  | { readonly state: 'unknown' }
  | { readonly state: 'unserved'; readonly askAgainAt: number };

export type ListedResource = Pick<AppliedResource, 'group' | 'version' | 'resource' | 'namespace'>;

type Unserved = Extract<KindLookup, { readonly state: 'unserved' }> & { readonly misses: number };

const ASK_AGAIN = { baseMs: 1_000, maxMs: 300_000 } as const;

/** The kinds that works name, as far as they have been discovered on the managed cluster. */
export class ClusterKinds {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #byType = new Map<string, Extract<KindLookup, { readonly state: 'served' }> | Unserved>();

  /** The discovered kinds, keyed by `resource.group/version`. */
  readonly #byResource = new Map<string, Kind>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  lookup(apiVersion: string, kind: string): KindLookup {
    return this.#byType.get(`${apiVersion}/${kind}`) ?? { state: 'unknown' };
  }

  /** Looks up a kind. A kind that was not served is looked up again after a retry delay. */
  async resolve(apiVersion: string, kind: string): Promise<KindLookup> {
    const id = `${apiVersion}/${kind}`;
    const before = this.#byType.get(id);
    const now = this.#clock.monotonic();
    if (before?.state === 'served' || (before && before.askAgainAt > now)) return before;
    if (before) this.#client.discovery.invalidate();
    const { group, version } = parseApiVersion(apiVersion);
    const found = await this.#client.discovery.kindOf({ group, version, kind });
    const misses = (before?.misses ?? 0) + 1;
    const restMs = backoffMs(misses, ASK_AGAIN);
    const after = found ? ({ state: 'served', kind: found } as const) : ({ state: 'unserved', misses, askAgainAt: now + restMs } as const);
    this.#byType.set(id, after);
    return after;
  }

  /** Returns the kind of a listed resource, in the listed version if it is served and otherwise in a served version. */
  resource({ group = '', version, resource, namespace = '' }: ListedResource): Kind {
    return (
      this.#byResource.get(`${resource}.${group}/${version}`) ?? {
        group,
        version,
        kind: '',
        plural: resource,
        namespaced: namespace !== '',
      }
    );
  }

  /** Looks up the kind of a listed resource. Returns whether it is served at all. */
  async resolveResource(listed: ListedResource): Promise<boolean> {
    const { group = '', version, resource } = listed;
    const id = `${resource}.${group}/${version}`;
    if (this.#byResource.has(id)) return true;
    const versions = (await this.#client.discovery.resources()).filter((served) => served.group === group && served.plural === resource);
    const found = versions.find((served) => served.version === version) ?? versions[0];
    if (!found) return false;
    const { kind, plural, namespaced } = found;
    this.#byResource.set(id, { group, version: found.version, kind, plural, namespaced });
    return true;
  }

  /** Drops a kind that the server no longer serves (its CRD was deleted), so that the next lookup uses discovery again. */
  forget({ group, plural }: Kind): void {
    for (const [id, known] of this.#byType) {
      if (known.state === 'served' && known.kind.group === group && known.kind.plural === plural) this.#byType.delete(id);
    }
    for (const [id, known] of this.#byResource) if (known.group === group && known.plural === plural) this.#byResource.delete(id);
    this.#client.discovery.invalidate();
  }
}
