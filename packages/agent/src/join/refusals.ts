import type { Clock, Transport } from '@outrigger/core';

/** One refusal may be a hub that is just starting; refused again after this long, it means us. */
const PATIENCE_MS = 15_000;

/** Tells when the hub goes on answering 401: the certificate is no longer worth anything there, whatever it says about itself. */
export function reportingRefusals(transport: Transport, clock: Clock, refused: () => void): Transport {
  let since: number | undefined;
  return {
    async send(request, signal) {
      const response = await transport.send(request, signal);
      if (response.status !== 401) since = undefined;
      else {
        since ??= clock.monotonic();
        if (clock.monotonic() - since >= PATIENCE_MS) refused();
      }
      return response;
    },
    close: () => transport.close(),
  };
}
