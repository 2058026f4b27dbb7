import { errorMessage, type Keys } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { type ParsedCsr, parseCsr } from '@outrigger/core/x509';
import { keyDigest } from './issued.js';

/** The parsed content of a request, or the reason why it cannot be parsed. */
export type RequestContents =
  | {
      readonly type: 'readable';
      readonly csr: Omit<ParsedCsr, 'publicKey'>;
      /** Digest of the public key, used only to distinguish keys. */
      readonly keyDigest: string;
    }
  | { readonly type: 'unreadable'; readonly problem: string };

const MAX_REMEMBERED = 10_000;

/**
 * Requests that were parsed and whose signature was verified, by content. Parsing needs WebCrypto, which is asynchronous, so a synchronous
 * pass cannot do it: an effect parses the request once, and the next pass finds the result here. After a restart the requests are parsed
 * again.
 */
export class ExaminedRequests {
  readonly #contents = new Map<string, RequestContents>();

  get(request: string): RequestContents | undefined {
    return this.#contents.get(sha256Hex(request));
  }

  async examine(keys: Keys, request: string): Promise<void> {
    const contents = await read(keys, request);
    if (this.#contents.size >= MAX_REMEMBERED) this.#contents.delete(this.#contents.keys().next().value as string);
    this.#contents.set(sha256Hex(request), contents);
  }
}

/** `request` as the API carries it: base64 of the PEM. */
export async function read(keys: Keys, request: string): Promise<RequestContents> {
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
