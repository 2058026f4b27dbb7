import type { HubTrouble } from '@outrigger/console-contract';
import { nowMs } from '../adapters/clock.js';
import { createStore, type Store } from './store.js';

/** The state of the connection to the server. */
export interface Link {
  /** The time since which the server has not responded; undefined while the server responds. */
  readonly goneSince: number | undefined;
  /** Set while the server runs but does not reach the hub. */
  readonly hub: HubTrouble | undefined;
  /** Set if the user has no session. */
  readonly signedOut: SignedOut | undefined;
}

export interface SignedOut {
  /** The message for the user. */
  readonly message: string;
  /** Whether a one-time URL opens the console, as on the user's own machine. Otherwise the user signs in with a token. */
  readonly needsAddress: boolean;
}

export const link: Store<Link> = createStore<Link>({ goneSince: undefined, hub: undefined, signedOut: undefined });

export function linkLost(): void {
  const now = link.get();
  if (now.goneSince === undefined) link.set({ ...now, goneSince: nowMs() });
}

/** Called when the server responds. A heartbeat also contains the state of the hub. */
export function linkFound(beat: { readonly hub?: HubTrouble | undefined }): void {
  const now = link.get();
  const hub = 'hub' in beat ? beat.hub : now.hub;
  if (now.goneSince !== undefined || now.hub?.since !== hub?.since) link.set({ ...now, goneSince: undefined, hub });
}

export function signedOut(message: string, needsAddress = false): void {
  link.set({ ...link.get(), signedOut: { message, needsAddress } });
}
