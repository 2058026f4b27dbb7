import type { ObjectLink, Time } from './values.js';

export interface ActivityPage {
  readonly items: readonly ActivityItem[];
  /** The start of the recorded period. By default Kubernetes deletes Events after an hour. */
  readonly reachesBackTo?: Time;
  readonly hasMore: boolean;
}

export interface ActivityItem {
  readonly id: string;
  readonly at: Time;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly addOn?: string;
  readonly cluster?: string;
  /** The program or user that reported the activity. */
  readonly by: string;
  readonly count: number;
  readonly object?: ObjectLink;
}

export interface ObjectPage {
  readonly object: ObjectLink;
  /** The object as YAML. Secret data is masked wherever it occurs. */
  readonly yaml: string;
  /** The objects that this object references, each with the line number of the reference in the YAML, starting at 0. */
  readonly references: readonly { readonly line: number; readonly object: ObjectLink }[];
}
