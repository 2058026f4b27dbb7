import type { Random } from '@outrigger/core';

/** A stream of pseudo-random numbers (sfc32) that depends only on its seed. */
export function createPrng(seed: string): Random {
  let [a, b, c, counter] = seedWords(seed);
  const word = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 16; i++) word();

  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => word() & 0xff);
  return { next: () => word() / 2 ** 32, bytes, uuid: () => uuidOf(bytes(16)) };
}

/** Uniform in [min, max]. */
export function between(random: Random, [min, max]: readonly [number, number]): number {
  return min + random.next() * (max - min);
}

/** Derives the four words of the initial state from a text: three FNV-1a hashes with different offsets, and the number 1. */
function seedWords(seed: string): [number, number, number, number] {
  const hash = (offset: number): number => {
    let h = 0x811c9dc5 ^ offset;
    for (let i = 0; i < seed.length; i++) h = Math.imul(h ^ seed.charCodeAt(i), 0x01000193);
    return h | 0;
  };
  return [hash(0), hash(0x9e3779b9), hash(0x85ebca6b), 1];
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte, i) => {
    const value = i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte;
    return value.toString(16).padStart(2, '0');
  }).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
