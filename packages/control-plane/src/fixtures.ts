import { webcrypto } from 'node:crypto';
import { ApiError, type ApiRequest, type Json, type KubeObject, type Runtime } from '@outrigger/core';
import { type ControlPlane, type ControlPlaneOptions, createControlPlane } from './assemble.js';
import { loadCredentials, memoryVault, type Vault } from './auth/credentials.js';
import { SYSTEM } from './auth/identities.js';
import type { Identity } from './handle/contract.js';

/** The part of a simulator that these fixtures need. Tests pass a complete simulator. */
export interface VirtualTime {
  runUntil(isDone: () => boolean): Promise<void>;
  advance(ms: number): Promise<void>;
}

let vault: Promise<Vault> | undefined;

/**
 * Returns keys for all tests. They are generated once, in real time, because generating keys loads a library and a simulator cannot wait
 * for that.
 */
function preparedVault({ clock, random }: Runtime): Promise<Vault> {
  vault ??= (async () => {
    const made = memoryVault();
    const generate = (): Promise<unknown> => webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
    const keys = { generate, subtle: webcrypto.subtle } as unknown as Runtime['keys'];
    await loadCredentials({ clock, random, keys } as Runtime, made);
    return made;
  })();
  return vault;
}

/** A control plane under virtual time. */
export interface VirtualPlane {
  readonly plane: ControlPlane;
  /** Advances virtual time by `ms`. */
  advance(ms: number): Promise<void>;
  /** Sends a request and runs the simulation until the response arrives. Throws if the response is an error. */
  send<T = KubeObject>(method: ApiRequest['method'], path: string, body?: unknown, identity?: Identity): Promise<T>;
  /** Returns the status and message of the response, even if it is an error. */
  attempt(method: ApiRequest['method'], path: string, body?: unknown, identity?: Identity): Promise<string>;
  /** Returns the names in the collection at `path`, sorted. */
  names(path: string): Promise<string[]>;
}

export async function startVirtualPlane(
  simulator: VirtualTime,
  runtime: Runtime,
  options: Partial<ControlPlaneOptions> = {},
): Promise<VirtualPlane> {
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => {}); // The caller gets the error from the returned promise.
    await simulator.runUntil(() => isDone);
    return done;
  };
  const prepared = await preparedVault(runtime);
  const plane = await settled(createControlPlane({ runtime, storage: 'memory', vault: prepared, ...options }));
  await settled(plane.start());

  const send = async <T>(method: ApiRequest['method'], path: string, body?: unknown, identity: Identity = SYSTEM): Promise<T> => {
    const isPatch = method === 'PATCH';
    const headers = { 'content-type': isPatch ? 'application/merge-patch+json' : 'application/json' };
    const [target = '', search = ''] = path.split('?');
    const query = Object.fromEntries(new URLSearchParams(search));
    const request = { method, path: target, query, headers, ...(body === undefined ? {} : { body: body as Json }) };
    const { status, body: answer } = await settled(plane.handle(request, identity));
    if (status >= 300) throw ApiError.fromStatus(answer as object, status);
    return answer as T;
  };
  return {
    plane,
    advance: (ms) => simulator.advance(ms),
    send,
    attempt: async (method, path, body, identity) => {
      try {
        await send(method, path, body, identity);
        return 'ok';
      } catch (error) {
        return (error as Error).message;
      }
    },
    names: async (path) => {
      const { items } = await send<{ items: readonly KubeObject[] }>('GET', path);
      return items.map(({ metadata }) => metadata.name ?? '').sort();
    },
  };
}
