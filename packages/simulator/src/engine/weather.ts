import type { Resource } from '@outrigger/kube';

/** The fate of a request: it arrives, it never reaches the server, or the server executes it and the response is lost. */
export type Fate = 'arrives' | 'lost' | 'answer lost';

/** The conditions between a process and the API server. They change during a run. */
export interface Weather {
  /** Returns the time that a change takes to reach a cache of the process. Changes to one resource stay in order. */
  watchLagMs(process: string, resource: Resource): number;
  /** Returns the time that a request takes to reach the server. */
  requestMs(process: string): number;
  /** Chooses the fate of a request to the API server `api`, or of an effect if `api` is undefined. */
  fate(process: string, api: string | undefined): Fate;
}
