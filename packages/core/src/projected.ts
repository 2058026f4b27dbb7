import type { ObjectKey } from './meta.js';

/** The fields of every projection, in addition to those that its kind's `project` copies. */
export interface Projected {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Returns an equal value that was passed earlier, if there is one, so that equal parts of projections are stored once. */
export type Intern = <T>(value: T) => T;
