import { isConnectionError } from '../../client/connection-error.js';
import type { Carrier } from './carrier.js';
import { NOT_SPOKEN } from './http2.js';

/**
 * Returns a carrier that uses HTTP/2 until the server refuses it, and then HTTP/1.1, because a proxy in front of the server may not support
 * HTTP/2.
 */
export function preferHttp2(http2: Carrier, createHttp1: () => Carrier): Carrier {
  let http1: Carrier | undefined;
  return {
    async exchange(message, signal) {
      if (http1) return http1.exchange(message, signal);
      try {
        return await http2.exchange(message, signal);
      } catch (error) {
        if (!isConnectionError(error) || error.code !== NOT_SPOKEN) throw error;
        http1 ??= createHttp1();
        return http1.exchange(message, signal);
      }
    },
    async close() {
      await Promise.all([http2.close(), http1?.close()]);
    },
  };
}
