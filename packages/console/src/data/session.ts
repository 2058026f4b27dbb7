import { SESSION_ADDRESS, type Session } from '@outrigger/console-contract';
import { getJson } from '../adapters/request.js';
import { createStore, type Store } from './store.js';

/** The user of the page, with the actions that the user may try; undefined until the server has responded. */
export const session: Store<Session | undefined> = createStore<Session | undefined>(undefined);

/** Reads the session again: at the start, and when the rights of the user have changed. */
export function readSession(): void {
  // If the server does not respond, the views of the page report the problem.
  getJson(SESSION_ADDRESS).then(
    (answer) => session.set(answer as Session),
    () => undefined,
  );
}
