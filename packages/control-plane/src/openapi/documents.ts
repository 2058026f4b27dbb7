import { sha256Hex } from '@outrigger/core/hash';
import type { Registry } from '../registry/registry.js';
import type { Resource } from '../registry/resource.js';
import { loadBuiltinDefinitions, type BuiltinDefinitions } from './builtin-definitions.js';
import { describe, withDefinitions, type Description } from './description.js';
import { CORE_VERSIONS, groupOperation, GROUPS, SERVER_VERSION } from './discovery-operations.js';
import { encodeGnostic } from './gnostic.js';
import { documentV2 } from './v2.js';
import { documentV3 } from './v3.js';

/** A document as it is sent. */
export interface Published {
  readonly json: Uint8Array;
  /** Of its content. */
  readonly hash: string;
}

export interface PublishedV2 extends Published {
  /** The same for Go programs; made when one first asks. */
  protobuf(): Uint8Array;
}

/** Those of equal resources are equal: built-in ones are written once for all servers of a process. */
const written = new WeakMap<Resource, { readonly resources: readonly Resource[]; readonly document: Published }>();

/**
 * What a server says about its resources in OpenAPI. Documents are written when somebody asks, and again only when what they are about has
 * changed: of version 3 those of the group version, of version 2 the one about everything.
 */
export class OpenApiDocuments {
  readonly #registry: Registry;
  readonly #version: string;
  #v2: { readonly generation: number; readonly document: Promise<PublishedV2> } | undefined;

  constructor(registry: Registry, version: string) {
    this.#registry = registry;
    this.#version = version;
  }

  v2(): Promise<PublishedV2> {
    const { generation } = this.#registry;
    if (this.#v2?.generation !== generation) this.#v2 = { generation, document: writeV2(this.#registry.all(), this.#version) };
    return this.#v2.document;
  }

  /** The document of a group version, undefined where nothing of it is served. */
  async v3(group: string, version: string): Promise<Published | undefined> {
    const resources = this.#registry.all().filter((resource) => resource.group === group && resource.version === version);
    return resources.length === 0 ? undefined : this.#v3(resources, loadBuiltinDefinitions);
  }

  /** The documents of all group versions by path (`apis/apps/v1`). */
  async v3Index(): Promise<ReadonlyMap<string, Published>> {
    const byPath = new Map<string, Resource[]>();
    for (const resource of this.#registry.all()) {
      const { group, version } = resource;
      const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      byPath.set(path, [...(byPath.get(path) ?? []), resource]);
    }
    let loading: Promise<BuiltinDefinitions> | undefined;
    const load = (): Promise<BuiltinDefinitions> => (loading ??= loadBuiltinDefinitions());
    const index = new Map<string, Published>();
    for (const [path, resources] of byPath) index.set(path, await this.#v3(resources, load));
    return index;
  }

  async #v3(resources: readonly Resource[], load: () => Promise<BuiltinDefinitions>): Promise<Published> {
    const [first] = resources as readonly [Resource];
    const known = written.get(first);
    if (known && isSame(known.resources, resources)) return known.document;
    const document = publish(documentV3(describe(resources, await load()), this.#version));
    written.set(first, { resources, document });
    return document;
  }
}

async function writeV2(resources: readonly Resource[], version: string): Promise<PublishedV2> {
  const builtin = await loadBuiltinDefinitions();
  const document = documentV2(everything(resources, builtin), version);
  let protobuf: Uint8Array | undefined;
  const published = publish(document);
  return {
    ...published,
    protobuf: () => (protobuf ??= encodeGnostic(JSON.parse(Buffer.from(published.json).toString()) as object)),
  };
}

function everything(resources: readonly Resource[], builtin: BuiltinDefinitions): Description {
  const { operations, definitions } = describe(resources, builtin, true);
  const groups = new Set(resources.filter(({ isCustom, group }) => !isCustom && group !== '').map(({ group }) => group));
  const general = withDefinitions([CORE_VERSIONS, GROUPS, ...[...groups].map(groupOperation), SERVER_VERSION], builtin.all);
  return { operations: [...general.operations, ...operations], definitions: { ...general.definitions, ...definitions } };
}

function isSame(a: readonly Resource[], b: readonly Resource[]): boolean {
  return a.length === b.length && a.every((resource, i) => resource === b[i]);
}

function publish(document: object): Published {
  const json = Buffer.from(JSON.stringify(document));
  return { json, hash: sha256Hex(json).toUpperCase() };
}
