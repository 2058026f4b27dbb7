import { OPEN_ADDRESS, type Session as SessionView } from '@outrigger/console-contract';
import type { Runtime } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import type { HttpRequest } from '../http/messages.js';
import type { Session, Sessions } from './sessions.js';

/** Authenticates users. A request without a session gets 401. */
export interface Authentication {
  readonly mode: SessionView['mode'];
  /** The session of a request. */
  sessionOf(request: HttpRequest): Promise<Session | undefined>;
  /** Exchanges a token for the value of `set-cookie`. */
  signIn(token: string): Promise<string | undefined>;
  /**
   * Exchanges the token of a one-time URL for the value of `set-cookie`. Returns undefined if the token was used before or was never valid.
   */
  open(token: string): string | undefined;
  /** The value of `set-cookie` that removes the cookie. */
  signOut(request: HttpRequest): Promise<string>;
}

/** The length of a one-time token in bytes. The token is too long to guess, but short enough for the URL to fit on a terminal line. */
const ONE_TIME_BYTES = 18;

const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';

/** Authentication on a hub: by a bearer token, which is either exchanged once for a cookie or sent by a proxy with every request. */
export function hubAuthentication(sessions: Sessions): Authentication {
  const name = '__Host-outrigger';
  return {
    mode: 'hub',
    async sessionOf({ headers }) {
      const authorization = headers['authorization'];
      // If the request has a bearer token, use only the token. A wrong token is rejected even if the request also has a valid cookie.
      if (authorization !== undefined) {
        const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1];
        return token === undefined ? undefined : sessions.byToken(token);
      }
      const id = cookieOf(headers['cookie'], name);
      return id === undefined ? undefined : sessions.byCookie(id);
    },
    async signIn(token) {
      const id = await sessions.signIn(token);
      return id === undefined ? undefined : `${name}=${id}; ${ATTRIBUTES}; Secure`;
    },
    open: () => undefined,
    async signOut({ headers }) {
      const id = cookieOf(headers['cookie'], name);
      if (id !== undefined) await sessions.signOut(id);
      return `${name}=; ${ATTRIBUTES}; Secure; Max-Age=0`;
    },
  };
}

export interface LaptopAuthentication extends Authentication {
  /** Returns a new URL path that opens the console once. */
  oneTimePath(): string;
}

/** In local mode, a browser that opens the one-time URL acts as the kubeconfig's user. */
export function laptopAuthentication(runtime: Runtime, session: Session, cookieSuffix: () => string): LaptopAuthentication {
  const unused = new Set<string>();
  const ids = new Set<string>();
  const secret = (): string => Buffer.from(runtime.random.bytes(32)).toString('base64url');
  // Browsers share cookies between ports, so the cookie name contains a suffix that distinguishes consoles.
  const name = (): string => `outrigger-${cookieSuffix()}`;
  return {
    mode: 'laptop',
    async sessionOf({ headers }) {
      const id = cookieOf(headers['cookie'], name());
      return id !== undefined && ids.has(sha256Hex(id)) ? session : undefined;
    },
    signIn: async () => undefined,
    open(token) {
      if (!unused.delete(sha256Hex(token))) return undefined;
      const id = secret();
      ids.add(sha256Hex(id));
      return `${name()}=${id}; ${ATTRIBUTES}`;
    },
    async signOut({ headers }) {
      const id = cookieOf(headers['cookie'], name());
      if (id !== undefined) ids.delete(sha256Hex(id));
      return `${name()}=; ${ATTRIBUTES}; Max-Age=0`;
    },
    oneTimePath() {
      const token = Buffer.from(runtime.random.bytes(ONE_TIME_BYTES)).toString('base64url');
      unused.add(sha256Hex(token));
      return `${OPEN_ADDRESS}?token=${token}`;
    },
  };
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return undefined;
}
