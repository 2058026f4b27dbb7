import { monitorEventLoopDelay } from 'node:perf_hooks';
import { errorMessage } from '@outrigger/core';
import type { SwarmRequest, SwarmStats } from './swarm.js';

const RESOLUTION_MS = 10;

/**
 * The common part of the processes that run stand-ins or real agents. It answers the requests of the parent and measures the event-loop
 * delay.
 */
export class SwarmProcess {
  reports = 0;
  readonly #loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(act: (request: SwarmRequest) => Promise<unknown>) {
    this.#loop.enable();
    process.on('message', ({ id, request }: { readonly id: number; readonly request: SwarmRequest }) => {
      void this.#answer(request, act).then(
        (answer) => process.send?.({ done: id, answer }),
        (error: unknown) => process.send?.({ done: id, error: errorMessage(error) }),
      );
    });
    // Exit when the parent has ended, because then no requests can arrive.
    process.on('disconnect', () => process.exit(0));
  }

  ready(): void {
    process.send?.({ ready: true });
  }

  async #answer(request: SwarmRequest, act: (request: SwarmRequest) => Promise<unknown>): Promise<unknown> {
    if ('reset' in request) return this.#loop.reset();
    return 'stats' in request ? this.#stats() : act(request);
  }

  #stats(): SwarmStats {
    // Each sample contains the sampling interval in addition to the delay, so subtract the interval.
    const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    return { reports: this.reports, loopP99Ms: delay(this.#loop.percentile(99)), loopMaxMs: delay(this.#loop.max) };
  }
}
