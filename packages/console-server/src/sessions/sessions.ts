import { type Runtime, errorMessage } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import type { Client } from '@outrigger/kube';
import { type Identity, reviewToken } from '../access/identity.js';
import { CHANGE_ADD_ONS, type CheckedSight, checkSight, isAllowed } from '../access/rights.js';
import { ViewFailure } from '../http/messages.js';
import type { FleetState } from '../state/state.js';

/** A signed-in user. */
export interface Session {
  readonly identity: Identity;
  /** Sends requests as the user. */
  readonly client: Client;
  readonly sight: CheckedSight;
  readonly mayChangeAddOns: boolean;
}

/** A client that acts with a user's token. */
export interface TokenClient {
  readonly client: Client;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly runtime: Runtime;
  /** The client of the console's own account, which reviews tokens and permissions. */
  readonly client: Client;
  readonly clientFor: (token: string) => TokenClient;
  readonly state: FleetState;
}

interface Kept {
  readonly token: string;
  readonly tokenClient: TokenClient;
  readonly openedAt: number;
  checkedAt: number;
  session: Session;
}

/**
 * The time in milliseconds for which the result of a token and permission review is cached. Together with the interval at which a stream
 * asks for its session, it is the 30 s within which a stream ends after its token.
 */
export const RECHECK_MS = 25_000;
/** Maximum lifetime of a session, even if its token is valid longer. */
const LONGEST_MS = 12 * 60 * 60_000;
/** Maximum number of sessions. Beyond this limit, the session that was checked longest ago ends. */
const MOST_SESSIONS = 1_000;
/** Maximum number of sessions per user. Beyond this limit, the oldest session of the same user ends. */
const MOST_SESSIONS_OF_A_USER = 20;
/** Maximum number of unknown tokens that are reviewed concurrently, so that requests without a valid token cannot flood the API server. */
const MOST_REVIEWS = 50;

/** Sessions of users with bearer tokens. Tokens stay in this process; the browser has only a random id. */
export class Sessions {
  readonly #options: SessionOptions;
  /** The open sessions, by the digest of the id in the cookie or of the token. The digests prevent timing attacks. */
  readonly #kept = new Map<string, Kept>();
  /** Sessions that are being opened, by the digest of the id or of the token. Concurrent requests with the same token open one session. */
  readonly #opening = new Map<string, Promise<Session | undefined>>();
  /** Sessions that are being checked again, by the same digests. Concurrent requests with one session cause one check. */
  readonly #rechecking = new Map<string, Promise<Session | undefined>>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Returns the id for the cookie, or undefined if the API server does not accept the token. */
  async signIn(token: string): Promise<string | undefined> {
    const id = Buffer.from(this.#options.runtime.random.bytes(32)).toString('base64url');
    return (await this.#openOnce(sha256Hex(`cookie ${id}`), token)) === undefined ? undefined : id;
  }

  /**
   * Returns the session of a cookie, with permissions checked within the last 30 s. Returns undefined if there is no session or its token
   * has expired.
   */
  async byCookie(id: string): Promise<Session | undefined> {
    return this.#current(sha256Hex(`cookie ${id}`));
  }

  /** Returns the session of a token that a proxy sends with every request. Opens the session if there is none. */
  async byToken(token: string): Promise<Session | undefined> {
    const key = sha256Hex(`token ${token}`);
    return (await this.#current(key)) ?? (await this.#openOnce(key, token));
  }

  async signOut(id: string): Promise<void> {
    await this.#drop(sha256Hex(`cookie ${id}`));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((key) => this.#drop(key)));
  }

  #openOnce(key: string, token: string): Promise<Session | undefined> {
    const before = this.#opening.get(key);
    if (before) return before;
    if (this.#opening.size >= MOST_REVIEWS) throw new ViewFailure('not-ready', 'too many users sign in at once: try again in a second');
    const opening = this.#open(key, token).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #open(key: string, token: string): Promise<Session | undefined> {
    const { runtime, client, clientFor } = this.#options;
    const identity = await reviewToken(client, token);
    if (identity === undefined) return undefined;
    const tokenClient = clientFor(token);
    const now = runtime.clock.monotonic();
    try {
      const session = await this.#check(identity, tokenClient.client);
      this.#kept.set(key, { token, tokenClient, openedAt: now, checkedAt: now, session });
      await this.#makeRoom(identity.user);
      return session;
    } catch (error) {
      if (!this.#kept.has(key)) await this.#close(tokenClient);
      throw error;
    }
  }

  async #makeRoom(user: string): Promise<void> {
    const oldestFirst = [...this.#kept].sort(([, a], [, b]) => a.checkedAt - b.checkedAt);
    const own = oldestFirst.filter(([, { session }]) => session.identity.user === user);
    const [first] = own.length > MOST_SESSIONS_OF_A_USER ? own : oldestFirst.length > MOST_SESSIONS ? oldestFirst : [];
    if (first) await this.#drop(first[0]);
  }

  async #current(key: string): Promise<Session | undefined> {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const now = this.#options.runtime.clock.monotonic();
    if (now - kept.openedAt > LONGEST_MS) {
      await this.#drop(key);
      return undefined;
    }
    if (now - kept.checkedAt < RECHECK_MS) return kept.session;
    const before = this.#rechecking.get(key);
    if (before) return before;
    const rechecking = this.#recheck(key, kept, now).finally(() => this.#rechecking.delete(key));
    this.#rechecking.set(key, rechecking);
    return rechecking;
  }

  async #recheck(key: string, kept: Kept, now: number): Promise<Session | undefined> {
    const identity = await reviewToken(this.#options.client, kept.token);
    // End the session if its token now belongs to another user.
    if (identity === undefined || identity.user !== kept.session.identity.user || identity.uid !== kept.session.identity.uid) {
      await this.#drop(key);
      return undefined;
    }
    kept.session = await this.#check(identity, kept.tokenClient.client);
    // Set the time only after the check has succeeded, so that a session whose permissions could not be checked does not count as checked.
    kept.checkedAt = now;
    return kept.session;
  }

  async #check(identity: Identity, own: Client): Promise<Session> {
    const { client, state } = this.#options;
    const [sight, mayChangeAddOns] = await Promise.all([checkSight(client, identity, state), isAllowed(client, identity, CHANGE_ADD_ONS)]);
    return { identity, client: own, sight, mayChangeAddOns };
  }

  async #drop(key: string): Promise<void> {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept) await this.#close(kept.tokenClient);
  }

  async #close(tokenClient: TokenClient): Promise<void> {
    await tokenClient.close().catch((error: unknown) => {
      this.#options.runtime.log.warn({ error: errorMessage(error) }, 'connection of a session did not close cleanly');
    });
  }
}
