import { decodeText, isJsonObject, parseJson } from '@outrigger/core';

/** The claims of a ServiceAccount token. Only the hub checks its signature. */
export interface TokenClaims {
  readonly user: string;
  readonly serviceAccountUid: string;
  /** The time at which the token was issued, in milliseconds since the epoch, like `expiresAt`. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Returns the claims of a token, or undefined unless the text is a ServiceAccount token that expires. */
export function readClaims(token: string): TokenClaims | undefined {
  const payload = decodedClaims(token.split('.')[1] ?? '');
  const kubernetes = isJsonObject(payload) ? payload['kubernetes.io'] : undefined;
  const account = isJsonObject(kubernetes) ? kubernetes['serviceaccount'] : undefined;
  if (!isJsonObject(payload) || !isJsonObject(account)) return undefined;
  const { sub, iat, exp } = payload;
  const uid = account['uid'];
  if (typeof sub !== 'string' || typeof iat !== 'number' || typeof exp !== 'number' || typeof uid !== 'string') return undefined;
  return { user: sub, serviceAccountUid: uid, issuedAt: iat * 1000, expiresAt: exp * 1000 };
}

function decodedClaims(base64url: string): unknown {
  return parseJson(decodeText(base64url.replaceAll('-', '+').replaceAll('_', '/')));
}
