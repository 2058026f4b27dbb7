import type { ObjectKey } from './meta.js';

/** The fields that every projection has, in addition to those that the `project` function of its Resource copies. */
export interface Projected {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Returns an equal value that was passed earlier, if there is one, so that equal parts of projections are stored once. */
export type Intern = <T>(value: T) => T;
