import type { Keys, Random } from '@outrigger/core';
import { deterministicKeyPair, deterministicSign, importOnce, realSubtle } from './adapters/key-pairs.js';
import type { Simulator } from './simulator.js';

type Enter = (delayMs: number, task: () => void) => () => void;

/**
 * WebCrypto under the simulator. The results are real, but each promise settles in a separate turn, in the order of the requests. Key pairs
 * and the signatures of extractable P-256 keys depend only on the seed.
 */
export function createVirtualKeys(simulator: Simulator, random: Random, enter: Enter): Keys {
  function ordered<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      simulator.settleInOrder(work, {
        resolve: (value) => void enter(0, () => resolve(value)),
        reject: (error) => void enter(0, () => reject(error)),
      });
    });
  }
  const bytes = (length: number): Uint8Array => random.bytes(length);
  const replaced: ReadonlyMap<string | symbol, unknown> = new Map<string, unknown>([
    ['sign', deterministicSign(bytes)],
    ['importKey', importOnce],
  ]);
  return {
    generate: (algorithm) => ordered(deterministicKeyPair(algorithm, bytes)),
    subtle: new Proxy(realSubtle as unknown as SubtleCrypto, {
      get(target, name) {
        const member: unknown = replaced.get(name) ?? Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => ordered(Promise.resolve(Reflect.apply(member, target, args) as unknown));
      },
    }),
  };
}
