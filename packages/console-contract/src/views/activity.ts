import type { ObjectLink, Time } from './values.js';

export interface ActivityPage {
  readonly groups: readonly ActivityGroup[];
  /** The time of the oldest known activity. By default, Kubernetes deletes Events after an hour. */
  readonly reachesBackTo?: Time;
  readonly hasMore: boolean;
}

/** The same event on one or more clusters. */
export interface ActivityGroup {
  /** The newest item of the group. */
  readonly item: ActivityItem;
  /** All clusters that report the event, newest first; empty if the event is not about a cluster. */
  readonly clusters: readonly string[];
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
