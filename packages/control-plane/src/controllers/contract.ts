import type { Kind, Runtime } from '@outrigger/core';
import type { Store } from '../store/contract.js';
import type { ControllerApi } from './api.js';

/** The kinds the server serves at the moment; custom ones are added and removed with their definitions. */
export interface Catalog {
  /** One entry per resource, at a served version. */
  all(): Iterable<Kind>;
  byGroupKind(group: string, kind: string): Kind | undefined;
  byResource(group: string, plural: string): Kind | undefined;
}

/**
 * The interface of a controller inside the server. Reads are synchronous and see every acknowledged write, so a pass sees several objects
 * at one point in time; writes pass the same validation and conflict checks as those of any client.
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
