import type { FleetSnapshot } from '../fleet.js';
import type { ActivityPage, ObjectPage } from './activity.js';
import type { AddOnPage } from './add-on.js';
import type { CellPage, ClusterPage } from './cell.js';
import type { PlanPage } from './plan.js';
import type { ReplayPage, RolloutPage } from './rollout.js';
import type { Summary } from './summary.js';

export * from './activity.js';
export * from './add-on.js';
export * from './cell.js';
export * from './plan.js';
export * from './rollout.js';
export * from './summary.js';
export * from './values.js';

/** The data of all views. */
export type ViewData =
  | FleetSnapshot
  | Summary
  | AddOnPage
  | RolloutPage
  | PlanPage
  | ReplayPage
  | ClusterPage
  | CellPage
  | ActivityPage
  | ObjectPage;

/** The response for a view. `data` contains at least the changes up to `sequence`. */
export interface ViewAnswer<Data extends ViewData = ViewData> {
  readonly epoch: string;
  readonly sequence: number;
  readonly data: Data;
}
