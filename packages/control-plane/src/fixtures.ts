import { ApiError, type ApiRequest, type Json, type KubeObject } from '@outrigger/core';
import { createRealRuntime } from '@outrigger/kube';
import { createVirtualRuntime, Simulator, type VirtualRuntime } from '@outrigger/kube/testing';
import { type ControlPlane, type ControlPlaneOptions, createControlPlane } from './assemble.js';
import { loadCredentials, memoryVault, type Vault } from './auth/credentials.js';
import { SYSTEM } from './auth/identities.js';
import type { Identity } from './handle/contract.js';

/** Keys made outside of virtual time, once for all tests: making them loads a library, which no simulator can wait for. */
let vault: Promise<Vault> | undefined;

export function preparedVault(): Promise<Vault> {
  vault ??= (async () => {
    const made = memoryVault();
    await loadCredentials(createRealRuntime(), made);
    return made;
  })();
  return vault;
}

/** A control plane under virtual time. */
export interface VirtualPlane {
  readonly plane: ControlPlane;
  readonly simulator: Simulator;
  readonly runtime: VirtualRuntime;
  /** Runs the simulation until the request is answered; refusals are thrown. */
  send<T = KubeObject>(method: ApiRequest['method'], path: string, body?: unknown, identity?: Identity): Promise<T>;
  /** The answer's status and message, whatever it is. */
  attempt(method: ApiRequest['method'], path: string, body?: unknown, identity?: Identity): Promise<string>;
  /** Names in the collection at `path`, sorted. */
  names(path: string): Promise<string[]>;
}

export async function startVirtualPlane(options: Partial<ControlPlaneOptions> = {}, seed = 'x'): Promise<VirtualPlane> {
  const simulator = new Simulator({ seed });
  const runtime = createVirtualRuntime(simulator, 'server');
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => {}); // reported by the `await` below
    await simulator.runUntil(() => isDone);
    return done;
  };
  const prepared = await preparedVault();
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
    simulator,
    runtime,
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
