import { errorMessage, isApiError } from '@outrigger/core';
import type { AnyController } from '../controller.js';
import type { Resource } from '../resource.js';

/** A kind that cannot be read, and the controllers that need it. */
export interface Trouble {
  readonly resource: Resource;
  /** The server's message; undefined when the kind can be read again. */
  readonly problem: string | undefined;
  readonly controllers: readonly string[];
}

/** Returns, sorted, one sentence for each kind that cannot be read although a controller needs it. */
export function unreadableKinds(troubles: readonly Trouble[]): readonly string[] {
  const byKind = new Map<string, { readonly problem: string; readonly controllers: Set<string> }>();
  for (const { resource, problem = '', controllers } of troubles) {
    const { group, plural } = resource.kind;
    const name = group === '' ? plural : `${plural}.${group}`;
    const found = byKind.get(name) ?? { problem, controllers: new Set() };
    for (const controller of controllers) found.controllers.add(controller);
    byKind.set(name, found);
  }
  return Array.from(byKind)
    .filter(([, { controllers }]) => controllers.size > 0)
    .map(([name, { problem, controllers }]) => `${name} cannot be read: ${problem} (needed by: ${[...controllers].sort().join(', ')})`)
    .sort();
}

/** The resources that a controller needs before it can act. */
export function resourcesOfController({ watches, reads = [] }: AnyController): readonly Resource[] {
  return [...watches.map(({ resource }) => resource), ...reads];
}

/** Tracks which kinds cannot be read, so that each change is reported once. */
export class Troubles {
  readonly #controllers: readonly AnyController[];
  readonly #report: (trouble: Trouble) => void;
  /** The server's message for each resource that cannot be read. */
  readonly #known = new Map<Resource, string>();
  /** Resources that the server did not serve at the last request. */
  readonly #notServed = new Set<Resource>();

  constructor(controllers: readonly AnyController[], report: (trouble: Trouble) => void = () => undefined) {
    this.#controllers = controllers;
    this.#report = report;
  }

  /**
   * Notes a failed read. Only errors about the kind (not served, or refused) count, because a server that does not respond provides no
   * information about its kinds. Returns whether the kind counts as empty. A kind counts as empty if it has `isEmptyIfNotServed` and two
   * consecutive responses said that it is not served. One response is not enough, because a server that is starting may send it by mistake.
   */
  failed(resource: Resource, error: unknown): boolean {
    const isNotServed = isApiError(error, 'NotFound');
    const isConfirmed = isNotServed && this.#notServed.has(resource);
    if (isNotServed) this.#notServed.add(resource);
    else this.#notServed.delete(resource);
    if (resource.isEmptyIfNotServed === true && isNotServed) {
      if (isConfirmed) this.solved(resource);
      return isConfirmed;
    }
    this.#note(resource, error);
    return false;
  }

  #note(resource: Resource, error: unknown): void {
    const isAboutKind = isApiError(error, 'NotFound') || isApiError(error, 'Forbidden') || isApiError(error, 'MethodNotAllowed');
    const problem = errorMessage(error);
    if (!isAboutKind || this.#known.get(resource) === problem) return;
    this.#known.set(resource, problem);
    this.#report({ resource, problem, controllers: this.#needing(resource) });
  }

  solved(resource: Resource): void {
    if (this.#known.delete(resource)) this.#report({ resource, problem: undefined, controllers: this.#needing(resource) });
  }

  has(resource: Resource): boolean {
    return this.#known.has(resource);
  }

  list(): readonly Trouble[] {
    return Array.from(this.#known, ([resource, problem]) => ({ resource, problem, controllers: this.#needing(resource) }));
  }

  #needing(resource: Resource): readonly string[] {
    return this.#controllers.filter((controller) => resourcesOfController(controller).includes(resource)).map(({ name }) => name);
  }
}
