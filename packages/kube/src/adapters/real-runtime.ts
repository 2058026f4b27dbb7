import { setMaxListeners } from 'node:events';
import { randomBytes, randomUUID, webcrypto } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Keys, Logger, Runtime, Scope, Timers } from '@outrigger/core';
import { createLogger } from './logger.js';

export interface RealRuntimeOptions {
  /** The logger of the runtime. By default, the runtime logs JSON lines to standard error. */
  readonly log?: Logger;
}

/**
 * The runtime of a process: system clock, event-loop timers, and the random numbers of the operating system. Closing the scope stops all
 * activity of the runtime.
 */
export function createRealRuntime(options: RealRuntimeOptions = {}): Runtime & { readonly scope: Scope & { close(): void } } {
  const scope = createScope();
  return {
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    timers: createTimers(scope),
    random: { next: () => Math.random(), bytes: (length) => new Uint8Array(randomBytes(length)), uuid: () => randomUUID() },
    keys: createKeys(),
    log: options.log ?? createLogger(),
    scope,
  };
}

/** The longest delay that a Node timer accepts; Node silently treats a longer delay as 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

function createTimers(scope: Scope): Timers {
  return {
    after(delayMs, task) {
      const timer = setTimeout(
        () => {
          if (!scope.isCut) task();
        },
        Math.min(Math.max(delayMs, 0), MAX_DELAY_MS),
      );
      return () => clearTimeout(timer);
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const stop = (): void => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        const timer = setTimeout(
          () => {
            signal?.removeEventListener('abort', stop);
            resolve();
          },
          Math.min(Math.max(delayMs, 0), MAX_DELAY_MS),
        );
        signal?.addEventListener('abort', stop, { once: true });
      }),
  };
}

function createKeys(): Keys {
  const usages = ['sign', 'verify'] as const;
  const algorithms = {
    'P-256': { name: 'ECDSA', namedCurve: 'P-256' },
    'RSA-2048': { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
  } as const;
  return {
    generate: (algorithm) => webcrypto.subtle.generateKey(algorithms[algorithm], true, usages),
    // Node's types declare a SubtleCrypto of their own, whose overloads differ.
    subtle: webcrypto.subtle as unknown as SubtleCrypto,
  };
}

function createScope(parent?: AbortSignal): Scope & { close(): void } {
  const controller = new AbortController();
  // Every component adds a listener to the signal of its scope, so many listeners are not a sign of a leak.
  setMaxListeners(0, controller.signal);
  const close = (): void => controller.abort(new Error('the runtime was stopped'));
  if (parent?.aborted) close();
  parent?.addEventListener('abort', close, { once: true });
  return {
    get isCut() {
      return controller.signal.aborted;
    },
    signal: controller.signal,
    child: () => {
      const child = createScope(controller.signal);
      return child;
    },
    close: () => {
      parent?.removeEventListener('abort', close);
      close();
    },
  };
}
