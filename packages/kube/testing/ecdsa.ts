/** The order of the group of P-256 (FIPS 186-4). */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * Returns the ECDSA signature (r and s, 64 bytes) of a digest with a given nonce. WebCrypto cannot be used, because it chooses a random
 * nonce, so runs would not be reproducible. `pointX` returns the x-coordinate of the P-256 point that belongs to a private scalar of 32
 * bytes. Use this for simulations only, never for real keys: it does not run in constant time, and the nonce is predictable.
 */
export function signDigest(
  privateScalar: bigint,
  digest: Uint8Array,
  nonce: bigint,
  pointX: (scalar: Uint8Array) => Uint8Array,
): Uint8Array {
  const k = 1n + (nonce % (N - 1n));
  const r = toBigInt(pointX(Uint8Array.from(toBytes(k)))) % N;
  const s = (inverse(k, N) * (toBigInt(digest.subarray(0, 32)) + r * privateScalar)) % N;
  return Uint8Array.from([...toBytes(r), ...toBytes(s)]);
}

export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function toBytes(value: bigint): number[] {
  return Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * (31 - i))) & 0xffn));
}

export function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [modulo(value, modulus), modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = a / b;
    [a, b] = [b, a % b];
    [x, y] = [y, x - quotient * y];
  }
  return modulo(x, modulus);
}

function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}
