import type { Kind, Runtime } from '@outrigger/core';
import type { Store } from '../store/contract.js';
import type { ControllerApi } from './api.js';

/** The kinds that the server currently serves. Custom kinds are added and removed with their definitions. */
export interface Catalog {
  /** One entry per resource, at a served version. */
  all(): Iterable<Kind>;
  byGroupKind(group: string, kind: string): Kind | undefined;
  byResource(group: string, plural: string): Kind | undefined;
}

/**
 * The interface of a controller inside the server. Reads are synchronous and see every acknowledged write, so a pass sees a consistent
 * state of several objects. Writes are validated and checked for conflicts like the writes of any client.
 */
export interface ControllerContext {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly api: ControllerApi;
}

export interface RunningController {
  /** Stops the controller; resolves when its last pass has ended. */
  stop(): Promise<void>;
}
