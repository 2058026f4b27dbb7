import { SESSION_ADDRESS, type Session } from '@outrigger/console-contract';
import { after } from '../adapters/clock.js';
import { getJson, hasNoSession } from '../adapters/request.js';
import { createStore, type Store } from './store.js';

/** The user of the page, with the user's permissions; undefined until the server has responded. */
export const session: Store<Session | undefined> = createStore<Session | undefined>(undefined);

const RETRY_MS = 2_000;

/** Reads the session when the app starts, and again when the user's permissions have changed. */
export function readSession(): void {
  getJson(SESSION_ADDRESS).then(
    (answer) => session.set(answer as Session),
    (error: unknown) => {
      // An unauthorized user gets the sign-in page, which reloads the app. After any other error, read the session again later; the views
      // of the page show the error.
      if (!hasNoSession(error)) after(RETRY_MS, readSession);
    },
  );
}
