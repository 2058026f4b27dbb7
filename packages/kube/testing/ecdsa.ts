/** P-256 (FIPS 186-4). */
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const G: Point = [
  0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
];

type Point = readonly [x: bigint, y: bigint];

/**
 * The ECDSA signature (r and s, 64 bytes) of a digest with a given nonce. WebCrypto chooses a random nonce, so runs would not be
 * reproducible. Not constant-time, and the nonce is predictable: for simulations only, never for real keys.
 */
export function signDigest(privateScalar: bigint, digest: Uint8Array, nonce: bigint): Uint8Array {
  const k = 1n + (nonce % (N - 1n));
  const r = multiply(G, k)[0] % N;
  const s = (inverse(k, N) * (toBigInt(digest.subarray(0, 32)) + r * privateScalar)) % N;
  return Uint8Array.from([...toBytes(r), ...toBytes(s)]);
}

export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function toBytes(value: bigint): number[] {
  return Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * (31 - i))) & 0xffn));
}

function multiply(point: Point, scalar: bigint): Point {
  let result: Point | undefined;
  let power = point;
  for (let left = scalar; left > 0n; left >>= 1n) {
    if (left & 1n) result = result ? add(result, power) : power;
    power = add(power, power);
  }
  return result as Point;
}

/** The sum of two points that are not each other's inverse. */
function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const isDoubling = x1 === x2 && y1 === y2;
  const slope = isDoubling ? (3n * x1 * x1 - 3n) * inverse(2n * y1, P) : (y2 - y1) * inverse(x2 - x1, P);
  const x3 = modulo(slope * slope - x1 - x2, P);
  return [x3, modulo(slope * (x1 - x3) - y1, P)];
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
