import type { Kind, Runtime } from '@outrigger/core';
import type { Store } from '../store/contract.js';
import type { ControllerApi } from './api.js';

/** The kinds that the server currently serves. Custom kinds are added and removed with their CRDs. */
export interface Catalog {
  /** Returns each served resource once, at one of its served versions. */
  all(): Iterable<Kind>;
  byGroupKind(group: string, kind: string): Kind | undefined;
  byResource(group: string, plural: string): Kind | undefined;
}

/**
 * The context in which a controller inside the server runs. Reads are synchronous and see every acknowledged write, so a pass sees a
 * consistent state of several objects. Writes are validated and checked for conflicts like those of any client.
 */
export interface ControllerContext {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly api: ControllerApi;
}

export interface RunningController {
  /** Stops the controller. Resolves when its last pass has finished. */
  stop(): Promise<void>;
}
