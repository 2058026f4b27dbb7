import type { Registry } from '../registry/registry.js';
import type { Resource } from '../registry/resource.js';
import type { DocumentWriter } from './write.js';

/** A document as it is sent. */
export interface Published {
  readonly json: Uint8Array;
  /** The hash of the document's content. */
  readonly hash: string;
}

export interface PublishedV2 extends Published {
  /** Returns the same document in the binary format that Go programs use. It is encoded on first use. */
  protobuf(): Uint8Array;
}

/**
 * The documents of version 3, keyed by the first resource that each document describes. The servers in a process share the built-in
 * resources, so each document of built-in resources is written only once.
 */
const written = new WeakMap<Resource, { readonly resources: readonly Resource[]; readonly document: Published }>();

/** Loads the writer. This happens only for the first document, so that a server without OpenAPI requests does not load it. */
async function createWriter(): Promise<DocumentWriter> {
  const { createDocumentWriter } = await import('./write.js');
  return createDocumentWriter();
}

/**
 * The OpenAPI documents of a server. A document is written when a client requests it, and written again only if the resources that it
 * describes have changed: in version 3 the resources of one group version, in version 2 all served resources.
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
    const all = this.#registry.all();
    const write = async (): Promise<PublishedV2> => (await createWriter()).v2(all, this.#version);
    if (this.#v2?.generation !== generation) this.#v2 = { generation, document: write() };
    return this.#v2.document;
  }

  /** Returns the document of a group version, or undefined if none of its resources is served. */
  async v3(group: string, version: string): Promise<Published | undefined> {
    const resources = this.#registry.all().filter((resource) => resource.group === group && resource.version === version);
    return resources.length === 0 ? undefined : this.#v3(resources, createWriter);
  }

  /** Returns the documents of all group versions by path (`apis/apps/v1`). */
  async v3Index(): Promise<ReadonlyMap<string, Published>> {
    const byPath = new Map<string, Resource[]>();
    for (const resource of this.#registry.all()) {
      const { group, version } = resource;
      const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      byPath.set(path, [...(byPath.get(path) ?? []), resource]);
    }
    let creating: Promise<DocumentWriter> | undefined;
    const writer = (): Promise<DocumentWriter> => (creating ??= createWriter());
    const index = new Map<string, Published>();
    for (const [path, resources] of byPath) index.set(path, await this.#v3(resources, writer));
    return index;
  }

  async #v3(resources: readonly Resource[], writer: () => Promise<DocumentWriter>): Promise<Published> {
    const [first] = resources as readonly [Resource];
    const known = written.get(first);
    if (known && isSame(known.resources, resources)) return known.document;
    const document = (await writer()).v3(resources, this.#version);
    written.set(first, { resources, document });
    return document;
  }
}

function isSame(a: readonly Resource[], b: readonly Resource[]): boolean {
  return a.length === b.length && a.every((resource, i) => resource === b[i]);
}
