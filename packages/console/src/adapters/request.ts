import { ACTION_ADDRESS, type Action, type ActionResult, SESSION_ADDRESS, type ViewError, WRITE_HEADER } from '@outrigger/console-contract';

/** An error response from the server. */
export class RefusedError extends Error {
  readonly code: ViewError['code'];

  constructor(error: ViewError) {
    super(error.message);
    this.name = 'RefusedError';
    this.code = error.code;
  }
}

/** Whether the server refused a request because the user has no session. */
export function hasNoSession(error: unknown): error is RefusedError {
  return error instanceof RefusedError && (error.code === 'unauthorized' || error.code === 'not-opened');
}

/** The server did not respond. */
export class GoneError extends Error {}

export async function getJson(address: string): Promise<unknown> {
  return read(await ask(address, {}));
}

export async function act(action: Action, isDryRun = false): Promise<ActionResult> {
  const address = isDryRun ? `${ACTION_ADDRESS}?dryRun=true` : ACTION_ADDRESS;
  return (await read(await ask(address, write('POST', action)))) as ActionResult;
}

export async function signIn(token: string): Promise<void> {
  await read(await ask(SESSION_ADDRESS, write('POST', { token })));
}

export async function signOut(): Promise<void> {
  await read(await ask(SESSION_ADDRESS, write('DELETE')));
}

function write(method: string, body?: unknown): RequestInit {
  const headers = { [WRITE_HEADER]: '1', ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  return { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

async function ask(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, credentials: 'same-origin', redirect: 'error' });
  } catch (error) {
    throw new GoneError(error instanceof Error ? error.message : String(error));
  }
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : (JSON.parse(text) as unknown);
  throw errorOf(response.status, text);
}

/**
 * Returns the error in the body. If a proxy responded instead of the server, derives an error from the status code. This is never a
 * GoneError, because a proxy that got no answer to one request (502, 503, 504) may still reach the server with other requests.
 */
export function errorOf(status: number, text: string): RefusedError {
  try {
    const body = JSON.parse(text) as Partial<ViewError> | null;
    if (typeof body?.code === 'string' && typeof body.message === 'string')
      return new RefusedError({ code: body.code, message: body.message });
  } catch {
    // The body is not the server's JSON, so use only the status code.
  }
  return new RefusedError({ code: status === 401 ? 'unauthorized' : 'failed', message: `the server answered ${status}` });
}
