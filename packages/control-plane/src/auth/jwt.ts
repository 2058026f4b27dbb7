import { isJsonObject, type JsonObject, type Runtime } from '@outrigger/core';
import { fromBase64Url, toBase64Url } from './base64.js';

const ECDSA = { name: 'ECDSA', hash: 'SHA-256' } as const;
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Signs and verifies compact JWTs with one P-256 key (`ES256`). */
export interface TokenSigner {
  sign(claims: JsonObject): Promise<string>;
  /** The claims of a token this key signed; undefined for anything else, other algorithms and `none` included. */
  verify(token: string): Promise<JsonObject | undefined>;
  /** The public key as a JWK, for `/openid/v1/jwks`. */
  readonly publicJwk: JsonObject;
}

/** A P-256 point as a JSON Web Key. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

export interface PrivateJwk extends PublicJwk {
  readonly d: string;
}

type Subtle = Runtime['keys']['subtle'];

export async function createTokenSigner(subtle: Subtle, privateJwk: PrivateJwk): Promise<TokenSigner> {
  const { crv, kty, x, y, d } = privateJwk;
  const signing = await subtle.importKey('jwk', { crv, kty, x, y, d }, CURVE, false, ['sign']);
  const verifying = await subtle.importKey('jwk', { crv, kty, x, y }, CURVE, true, ['verify']);
  const kid = await thumbprint(subtle, { crv, kty, x, y });
  const header = toBase64Url(JSON.stringify({ alg: 'ES256', kid, typ: 'JWT' }));

  return {
    publicJwk: { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' },
    async sign(claims) {
      const content = `${header}.${toBase64Url(JSON.stringify(claims))}`;
      const signature = await subtle.sign(ECDSA, signing, new TextEncoder().encode(content));
      return `${content}.${toBase64Url(new Uint8Array(signature))}`;
    },
    async verify(token) {
      const [head, body, signature, ...rest] = token.split('.');
      // Comparing the whole header leaves no room for another algorithm or key.
      if (head !== header || body === undefined || signature === undefined || rest.length > 0) return undefined;
      const content = new TextEncoder().encode(`${head}.${body}`);
      if (!(await subtle.verify(ECDSA, verifying, fromBase64Url(signature), content))) return undefined;
      return parseClaims(body);
    },
  };
}

/** RFC 7638: the key's name is a digest of its public members in a fixed order. */
async function thumbprint(subtle: Subtle, { crv, kty, x, y }: PublicJwk): Promise<string> {
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify({ crv, kty, x, y })));
  return toBase64Url(new Uint8Array(digest));
}

function parseClaims(body: string): JsonObject | undefined {
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  return isJsonObject(claims) ? claims : undefined;
}
