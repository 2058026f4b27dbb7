import type { Client } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { RECHECK_MS, Sessions } from './sessions.js';

/** An API server that accepts the tokens `<user>-<anything>` and counts the requests. */
class Hub {
  requests = 0;
  reviews = 0;
  openClients = 0;
  isBroken = false;
  readonly waiting: (() => void)[] = [];
  isSlow = false;

  readonly client = {
    create: async (kind: { readonly plural: string }, object: { readonly spec: { readonly token?: string } }) => {
      this.requests += 1;
      if (kind.plural !== 'tokenreviews') {
        if (this.isBroken) throw new Error('the server does not answer');
        return { status: { allowed: true } };
      }
      this.reviews += 1;
      if (this.isSlow) await new Promise<void>((resolve) => this.waiting.push(resolve));
      const [username = '', rest] = (object.spec.token ?? '').split('-');
      return { status: rest === undefined ? { authenticated: false } : { authenticated: true, user: { username } } };
    },
  } as unknown as Client;

  readonly clientFor = () => {
    this.openClients += 1;
    return { client: {} as Client, close: async () => void (this.openClients -= 1) };
  };
}

describe('sessions of the console', () => {
  let hub: Hub;
  let sessions: Sessions;
  let time = 0;
  beforeEach(() => {
    hub = new Hub();
    time = 0;
    const runtime = { ...createRealRuntime(), clock: { now: () => time, monotonic: () => time } };
    sessions = new Sessions({ runtime, client: hub.client, clientFor: hub.clientFor, state: new ConsoleState() });
  });

  it('AT-45 a user who signs in without end ends only sessions of their own', async () => {
    const alice = await sessions.signIn('alice-1');
    for (let i = 0; i < 1200; i++) {
      time += 1;
      await sessions.signIn(`mallory-${i}`);
    }
    expect((await sessions.byCookie(alice ?? ''))?.identity.user).toBe('alice');
    expect(hub.openClients).toBeLessThanOrEqual(21);
  });

  it('requests with one token that arrive together share one session', async () => {
    const found = await Promise.all(Array.from({ length: 40 }, () => sessions.byToken('alice-1')));
    expect(new Set(found).size).toBe(1);
    expect([hub.reviews, hub.openClients]).toEqual([1, 1]);
  });

  it('AT-45 requests with one session that arrive together cause one check of its rights', async () => {
    const id = (await sessions.signIn('alice-1')) ?? '';
    time += RECHECK_MS;
    const before = hub.requests;
    await Promise.all(Array.from({ length: 40 }, () => sessions.byCookie(id)));
    const once = hub.requests - before;
    time += RECHECK_MS;
    await sessions.byCookie(id);
    expect([hub.reviews, hub.requests - before]).toEqual([3, 2 * once]);
  });

  it('AT-57 tokens that are not known are reviewed a few at a time', async () => {
    hub.isSlow = true;
    const asked = Array.from({ length: 200 }, (_, i) => sessions.byToken(`unknown${i}`).catch((error: unknown) => error));
    await new Promise((resolve) => setImmediate(resolve));
    expect(hub.reviews).toBe(50);
    for (const go of hub.waiting) go();
    const answers = await Promise.all(asked);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(50);
    expect(answers.filter((answer) => answer instanceof Error)).toHaveLength(150);
    hub.isSlow = false;
    expect((await sessions.byToken('alice-1'))?.identity.user).toBe('alice');
  });

  it('AT-18 rights that cannot be checked are never served as checked', async () => {
    await sessions.byToken('alice-1');
    time += RECHECK_MS;
    hub.isBroken = true;
    for (let i = 0; i < 3; i++) await expect(sessions.byToken('alice-1')).rejects.toThrow('does not answer');
    expect(hub.openClients).toBe(1);
  });

  it('a sign-in that fails half way leaves no connection open', async () => {
    hub.isBroken = true;
    await expect(sessions.signIn('alice-1')).rejects.toThrow('does not answer');
    expect(hub.openClients).toBe(0);
  });
});
