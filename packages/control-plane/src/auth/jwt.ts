import { isJsonObject, type JsonObject, type Keys } from '@outrigger/core';
import { importPrivateKey } from '@outrigger/core/x509';
import { fromBase64Url, toBase64Url } from './base64.js';

const ECDSA = { name: 'ECDSA', hash: 'SHA-256' } as const;
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const encoder = new TextEncoder();

const ALGORITHM = 'ES256';

/** A public key as a JSON Web Key. */
export interface PublicKey {
  readonly use: 'sig';
  readonly kty: string;
  readonly kid: string;
  readonly crv: string;
  readonly alg: string;
  readonly x: string;
  readonly y: string;
}

/** Signs and verifies compact JWTs with one P-256 key (`ES256`). */
export interface TokenSigner {
  /** The key with which other programs verify the tokens. */
  readonly publicKey: PublicKey;
  sign(claims: JsonObject): Promise<string>;
  /**
   * Returns the claims of a token that this key signed. Returns undefined for any other token, including a token whose algorithm is another
   * one or `none`.
   */
  verify(token: string): Promise<JsonObject | undefined>;
}

/** Creates a signer. `privateKey` is a P-256 key in PEM. */
export async function createTokenSigner(keys: Keys, privateKey: string): Promise<TokenSigner> {
  const { subtle } = keys;
  const signing = await importPrivateKey(keys, privateKey);
  const { crv = '', kty = '', x = '', y = '' } = await subtle.exportKey('jwk', signing);
  const verifying = await subtle.importKey('jwk', { crv, kty, x, y }, CURVE, true, ['verify']);
  // By RFC 7638, the key ID is a digest of the public members of the key in a fixed order.
  const kid = toBase64Url(new Uint8Array(await subtle.digest('SHA-256', encoder.encode(JSON.stringify({ crv, kty, x, y })))));
  const header = toBase64Url(JSON.stringify({ alg: ALGORITHM, kid, typ: 'JWT' }));

  return {
    publicKey: { use: 'sig', kty, kid, crv, alg: ALGORITHM, x, y },
    async sign(claims) {
      const content = `${header}.${toBase64Url(JSON.stringify(claims))}`;
      const signature = await subtle.sign(ECDSA, signing, encoder.encode(content));
      return `${content}.${toBase64Url(new Uint8Array(signature))}`;
    },
    async verify(token) {
      const [head, body, signature, ...rest] = token.split('.');
      // Comparing the whole header excludes any other algorithm or key.
      if (head !== header || body === undefined || signature === undefined || rest.length > 0) return undefined;
      const content = encoder.encode(`${head}.${body}`);
      if (!(await subtle.verify(ECDSA, verifying, fromBase64Url(signature), content))) return undefined;
      return parseClaims(body);
    },
  };
}

function parseClaims(body: string): JsonObject | undefined {
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  return isJsonObject(claims) ? claims : undefined;
}
