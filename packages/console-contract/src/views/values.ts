/** Times are RFC 3339 texts. */
export type Time = string;

export interface LaneCounts {
  readonly selected: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly soaking: number;
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly parked: number;
}

export interface ObjectLink {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface ConditionItem {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly since?: Time;
}
