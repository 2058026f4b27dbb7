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

/** The resources a controller needs before it can act. */
export function resourcesOfController({ watches, reads = [] }: AnyController): readonly Resource[] {
  return [...watches.map(({ resource }) => resource), ...reads];
}

/** Remembers which kinds cannot be read, so that each change is reported once. */
export class Troubles {
  readonly #controllers: readonly AnyController[];
  readonly #report: (trouble: Trouble) => void;
  readonly #known = new Map<Resource, string>();

  constructor(controllers: readonly AnyController[], report: (trouble: Trouble) => void = () => undefined) {
    this.#controllers = controllers;
    this.#report = report;
  }

  /** Reports only errors about the kind (not served, or refused): a server that does not answer says nothing about its kinds. */
  failed(resource: Resource, error: unknown): void {
    const isAboutKind = isApiError(error, 'NotFound') || isApiError(error, 'Forbidden') || isApiError(error, 'MethodNotAllowed');
    const problem = errorMessage(error);
    if (!isAboutKind || this.#known.get(resource) === problem) return;
    this.#known.set(resource, problem);
    this.#report({ resource, problem, controllers: this.#needing(resource) });
  }

  solved(resource: Resource): void {
    if (this.#known.delete(resource)) this.#report({ resource, problem: undefined, controllers: this.#needing(resource) });
  }

  #needing(resource: Resource): readonly string[] {
    return this.#controllers.filter((controller) => resourcesOfController(controller).includes(resource)).map(({ name }) => name);
  }
}
