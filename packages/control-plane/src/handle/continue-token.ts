import { ApiError } from '@outrigger/core';

/**
 * The position at which a list continues, and the store's revision at which it reads. Without a revision, the list continues in the newest
 * state.
 */
export interface Continue {
  readonly revision?: number;
  readonly after: string;
}

/**
 * Encodes a token, which is opaque to callers. It contains a format version, so that a later server can reject tokens from an earlier one.
 */
export function encodeContinue({ revision, after }: Continue): string {
  return base64Url(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision ?? -1, start: after }));
}

export function decodeContinue(token: string): Continue {
  try {
    const { v, rv, start } = JSON.parse(fromBase64Url(token)) as { v?: unknown; rv?: unknown; start?: unknown };
    if (v !== 'meta.k8s.io/v1' || !Number.isSafeInteger(rv) || typeof start !== 'string' || start === '') throw new Error('unknown form');
    const revision = rv as number;
    return revision < 0 ? { after: start } : { revision, after: start };
  } catch (cause) {
    throw invalidContinue(cause);
  }
}

/**
 * Returns the error for a continue token that is not valid for the list. Clients choose the content of a token, so it may point outside the
 * list.
 */
export function invalidContinue(cause?: unknown): ApiError {
  return new ApiError(
    'BadRequest',
    'invalid continue token: continue key is not valid: it must be what an earlier page of the same list gave',
    { cause },
  );
}

function base64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

function fromBase64Url(token: string): string {
  const binary = atob(token.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}
