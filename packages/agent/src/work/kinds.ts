import { type Kind, parseApiVersion } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import type { KnownKinds } from './state.js';

/** The kinds of the managed cluster that works have asked for, as far as discovery has answered. */
export class ClusterKinds implements KnownKinds {
  readonly #client: Client;
  readonly #byType = new Map<string, Kind | 'unserved'>();
  readonly #byResource = new Map<string, Kind>();

  constructor(client: Client) {
    this.#client = client;
  }

  byType(apiVersion: string, kind: string): Kind | 'unknown' | 'unserved' {
    return this.#byType.get(`${apiVersion}/${kind}`) ?? 'unknown';
  }

  byResource(group: string, resource: string): Kind | undefined {
    return this.#byResource.get(`${resource}.${group}`);
  }

  /** Asks the server; a kind that is not served now may be later (its CRD may be on its way). */
  async resolve(apiVersion: string, kind: string): Promise<Kind | undefined> {
    const { group, version } = parseApiVersion(apiVersion);
    const found = await this.#client.discovery.kindOf({ group, version, kind });
    this.#byType.set(`${apiVersion}/${kind}`, found ?? 'unserved');
    if (found) this.#byResource.set(`${found.plural}.${group}`, found);
    return found;
  }

  async resolveResource(group: string, resource: string): Promise<Kind | undefined> {
    const known = this.byResource(group, resource);
    if (known) return known;
    const found = (await this.#client.discovery.resources()).find((served) => served.group === group && served.plural === resource);
    if (!found) return undefined;
    const kind = { group, version: found.version, kind: found.kind, plural: found.plural, namespaced: found.namespaced };
    this.#byResource.set(`${resource}.${group}`, kind);
    return kind;
  }
}
