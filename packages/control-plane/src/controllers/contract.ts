import type { Kind, Runtime } from '@outrigger/core';
import type { Store } from '../store/contract.js';
import type { ControllerApi } from './api.js';

/** The kinds the server knows right now; custom ones come and go with their definitions. */
export interface Catalog {
  /** One entry per resource, at a served version. */
  all(): Iterable<Kind>;
  byGroupKind(group: string, kind: string): Kind | undefined;
  byResource(group: string, plural: string): Kind | undefined;
}

/**
 * What a controller inside the server works with. Reads are synchronous and see every acknowledged write, so a pass can look at
 * several objects without them tearing; writes go through the same door as everybody's, with validation and conflicts.
 */
export interface ControllerContext {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly api: ControllerApi;
}

export interface RunningController {
  /** Resolves when no pass is running any more. */
  stop(): Promise<void>;
}
