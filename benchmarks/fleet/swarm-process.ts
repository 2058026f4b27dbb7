import { monitorEventLoopDelay } from 'node:perf_hooks';
import { errorMessage } from '@outrigger/core';
import type { SwarmRequest, SwarmStats } from './swarm.js';

const RESOLUTION_MS = 10;

/** The part of a process of agents that is the same for stand-ins and real agents: it answers the parent, and measures its event loop. */
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
    // Without its parent, the process has no purpose.
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
    // A sample contains the interval of the timer that takes it.
    const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    return { reports: this.reports, loopP99Ms: delay(this.#loop.percentile(99)), loopMaxMs: delay(this.#loop.max) };
  }
}
