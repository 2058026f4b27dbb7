import { SESSION_ADDRESS, type Session } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { getJson, signOut } from '../adapters/request.js';
import { signedOut } from '../data/link.js';

/** As which user the page acts; on a hub also the way out. */
export function Who(): JSX.Element | null {
  const [session, setSession] = useState<Session | undefined>();
  useEffect(() => {
    // If the server does not respond, the views of the page report the problem.
    getJson(SESSION_ADDRESS).then(
      (answer) => setSession(answer as Session),
      () => setSession(undefined),
    );
  }, []);
  if (session?.mode !== 'hub') return null;
  const leave = () => {
    signOut().then(
      () => signedOut('You have signed out.'),
      (error: unknown) => signedOut(`Signing out failed: ${String(error)}`),
    );
  };
  return (
    <>
      <span class="dim who" title={`${session.user} on ${session.hub}`}>
        {session.user}
      </span>
      <button type="button" onClick={leave}>
        Sign out
      </button>
    </>
  );
}
