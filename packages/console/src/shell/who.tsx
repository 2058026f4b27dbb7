import type { JSX } from 'preact';
import { signOut } from '../adapters/request.js';
import { signedOut } from '../data/link.js';
import { session } from '../data/session.js';
import { useStore } from '../data/store.js';

/** Shows the user with whose permissions the page acts, and the sign-out button. Shows nothing in local mode. */
export function Who(): JSX.Element | null {
  const known = useStore(session);
  if (known?.mode !== 'hub') return null;
  const leave = () => {
    signOut().then(
      () => signedOut('You have signed out.'),
      (error: unknown) => signedOut(`Signing out failed: ${String(error)}`),
    );
  };
  return (
    <>
      <span class="dim who" title={`${known.user} on ${known.hub}`}>
        {known.user}
      </span>
      <button type="button" onClick={leave}>
        Sign out
      </button>
    </>
  );
}
