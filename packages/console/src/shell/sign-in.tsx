import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { signIn } from '../adapters/request.js';

/** Asks for a bearer token. The token is sent to the server once and not stored in the browser. */
export function SignInPage({ message }: { message: string }): JSX.Element {
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
    <main class="sign-in">
      <h1>Outrigger</h1>
      <p>Sign in with a bearer token of the hub. On a laptop, open the address that the command printed.</p>
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
    </main>
  );
}
