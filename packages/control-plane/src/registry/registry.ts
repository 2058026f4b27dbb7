import type { Resource } from './resource.js';

/**
 * All resources that the server serves. Built-in resources exist from the start; custom resources are added and removed with their CRDs.
 */
export class Registry {
  readonly #builtin: readonly Resource[];
  readonly #byPath = new Map<string, Resource>();
  #custom = new Map<string, readonly Resource[]>();
  #all: readonly Resource[] | undefined;
  #generation = 0;

  constructor(builtin: readonly Resource[]) {
    this.#builtin = builtin;
    for (const resource of builtin) this.#byPath.set(pathKey(resource.group, resource.version, resource.plural), resource);
  }

  /** A number that increases with every change. Data derived from an older generation (discovery, OpenAPI) is outdated. */
  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(pathKey(group, version, plural));
  }

  all(): readonly Resource[] {
    this.#all ??= [...this.#builtin, ...[...this.#custom.keys()].sort().flatMap((name) => this.#custom.get(name) ?? [])];
    return this.#all;
  }

  /** Sets the resources of the CRD with this name. An empty list removes them. */
  setCustom(definition: string, resources: readonly Resource[]): void {
    for (const old of this.#custom.get(definition) ?? []) this.#byPath.delete(pathKey(old.group, old.version, old.plural));
    if (resources.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, resources);
    for (const resource of resources) this.#byPath.set(pathKey(resource.group, resource.version, resource.plural), resource);
    this.#all = undefined;
    this.#generation++;
  }
}

function pathKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
