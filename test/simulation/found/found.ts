import type { History } from '@outrigger/simulator';

/** A minimized history that once violated an invariant. */
export interface Found {
  /** A title that describes the defect and its cause. */
  readonly title: string;
  readonly history: History;
}
