import { describe, expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.js';

function counting(): { compute: (key: string) => string; computed: string[] } {
  const computed: string[] = [];
  return { computed, compute: (key) => (computed.push(key), key.toUpperCase()) };
}

describe('bounded cache', () => {
  it('computes a value once', () => {
    const { compute, computed } = counting();
    const cache = new BoundedCache<string>({ limit: 2 });
    expect([cache.get('a', compute), cache.get('a', compute)]).toEqual(['A', 'A']);
    expect(computed).toEqual(['a']);
  });

  it('drops the value that was not used for the longest time', () => {
    const { compute, computed } = counting();
    const cache = new BoundedCache<string>({ limit: 2 });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) cache.get(key, compute);
    expect(computed).toEqual(['a', 'b', 'c', 'b']);
  });

  it('limits the total weight, and keeps one value that is heavier than the limit', () => {
    const { compute } = counting();
    const cache = new BoundedCache<string>({ limit: 4, weightOf: (key) => key.length });
    for (const key of ['aa', 'bb', 'c']) cache.get(key, compute);
    expect(cache.size).toBe(2);
    cache.get('much too long', compute);
    expect(cache.size).toBe(1);
  });

  it('caches nothing for a computation that throws', () => {
    const cache = new BoundedCache<string>({ limit: 2 });
    const fail = (): string => {
      throw new Error('not a number');
    };
    expect(() => cache.get('a', fail)).toThrow('not a number');
    expect(cache.get('a', () => 'second attempt')).toBe('second attempt');
  });
});
