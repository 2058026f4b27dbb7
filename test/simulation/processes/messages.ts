/** The Lease of the managers, and the namespace in which they store content. */
export const CONTENT_NAMESPACE = 'default';
export const LEASE = { namespace: CONTENT_NAMESPACE, name: 'outrigger-hub' };
/** The lease is short, so that a change of leaders takes seconds. On a busy machine a manager may lose it, which the hub must survive. */
export const LEASE_TIMING = { leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 400 };
/** `--removal-delay 2`. */
export const REMOVAL_DELAY_MS = 2_000;

/** Messages from the simulation to a manager. */
export type ToManager =
  | { readonly do: 'crash'; readonly writes: number; readonly isBefore: boolean }
  | { readonly do: 'answer'; readonly question: number };

/** The state of a manager, with which it answers a message with `do: 'answer'`. */
export interface ManagerState {
  readonly question: number;
  readonly isLeading: boolean;
  readonly isSettled: boolean;
  readonly nextPassInMs: number | undefined;
}

export type ToSimulation = { readonly isStarted: true } | { readonly write: string; readonly isClaim: boolean } | ManagerState;
