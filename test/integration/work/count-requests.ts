import type { ApiRequest, Transport } from '@outrigger/core';

export interface RequestCounter {
  /** Wraps a transport and records its requests. */
  through(inner: Transport): Transport;
  /** Returns the requests since the last call, without watches and Events. */
  take(): readonly string[];
  /** Returns the number of requests so far, including watches. */
  total(): number;
  /** Returns the number of watches opened so far. */
  watches(): number;
}

/** Matches Events, which are ignored because they are best effort and arrive later than the change that they report. */
const EVENT = /\/events(\/|$)/;

export function countRequests(): RequestCounter {
  let requests: string[] = [];
  let watchCount = 0;
  let total = 0;
  return {
    through: (inner) => ({
      send: (request, signal) => {
        total++;
        if (request.watch) watchCount++;
        else if (!EVENT.test(request.path)) requests.push(describe(request));
        return inner.send(request, signal);
      },
      close: () => inner.close(),
    }),
    take() {
      const taken = requests;
      requests = [];
      return taken;
    },
    total: () => total,
    watches: () => watchCount,
  };
}

function describe({ method, path, query }: ApiRequest): string {
  const manager = query?.['fieldManager'] ? ` as ${String(query['fieldManager'])}` : '';
  return `${method} ${path}${manager}${query?.['dryRun'] ? ' (dry run)' : ''}`;
}
