import { errorMessage, type Keys } from '@outrigger/core';
import { type ParsedCsr, parseCsr } from '@outrigger/core/x509';
import { keyDigest } from './issued.js';

/** The parsed content of a request, or the reason why it cannot be parsed. */
export type ParsedRequest =
  | {
      readonly type: 'readable';
      readonly csr: Omit<ParsedCsr, 'publicKey'>;
      /** Digest of the public key, used only to distinguish keys. */
      readonly keyDigest: string;
    }
  | { readonly type: 'unreadable'; readonly problem: string };

/**
 * The request that was parsed, and its content. Parsing needs WebCrypto, which is asynchronous, so a synchronous pass cannot do it: an
 * effect parses the request and stores the result for the next pass. After a restart, requests are parsed again.
 */
export interface ExaminedRequest {
  readonly request: string;
  readonly parsed: ParsedRequest;
}

/** `request` is the base64 encoding of the PEM, as in the API. */
export async function read(keys: Keys, request: string): Promise<ParsedRequest> {
  try {
    const { publicKey, ...csr } = await parseCsr(keys, atob(request));
    return {
      type: 'readable',
      csr,
      keyDigest: keyDigest(publicKey.spki),
    };
  } catch (error) {
    return { type: 'unreadable', problem: errorMessage(error) };
  }
}
