import { SESSION_ADDRESS } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { getJson, signIn } from '../adapters/request.js';
import type { SignedOut } from '../data/link.js';

/** The page of a user without a session. It continues without a click if the user gets a session in another tab. */
export function SignInPage({ message, needsAddress }: SignedOut): JSX.Element {
  useEffect(() => {
    const look = () => {
      if (document.hidden) return;
      getJson(SESSION_ADDRESS).then(
        () => location.reload(),
        // The user still has no session, as this page already says.
        () => undefined,
      );
    };
    addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return (
    <main class="sign-in">
      <h1>Outrigger</h1>
      {needsAddress ? <AddressText /> : <TokenForm message={message} />}
    </main>
  );
}

/**
 * Describes how to open a console on the user's own machine. There is no form, because the console's URL contains a secret that a user
 * cannot type.
 */
function AddressText(): JSX.Element {
  return (
    <>
      <p>
        This console runs on your machine. Open the address that <code>npm start</code>, <code>outrigger up</code> or{' '}
        <code>outrigger console</code> printed last.
      </p>
      <p class="dim">
        The address works once, and a new start prints a new one. For another browser, <code>outrigger console</code> prints another.
      </p>
    </>
  );
}

/** Asks for a bearer token. The token is sent to the server once and not stored in the browser. */
function TokenForm({ message }: { message: string }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | undefined>(message);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(field.current?.value.trim() ?? '');
      location.reload();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <>
      <p>Sign in with a bearer token of the hub.</p>
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Token</label>
        <input id="token" ref={field} type="password" autocomplete="off" required />
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
      <p class="sign-in-problem" role="alert">
        {problem}
      </p>
    </>
  );
}
