import { AGENT_VERSION_ANNOTATION, CLUSTER_LEASE_NAME, type Lease, leases } from '@outrigger/api';
import { type Runtime, isApiError, toMicroTime } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { VERSION } from '../../version.js';

interface Held {
  /** The monotonic time of the next renewal. */
  dueAt: number;
  periodMs: number;
  /** The lease as the hub last returned it. */
  known: Lease | undefined;
}

const TICK_MS = 1_000;
const RETRY_MS = 5_000;

/** Renews the leases of many clusters from one loop. */
export class LeaseRenewals {
  readonly #runtime: Runtime;
  readonly #hub: Client;
  readonly #held = new Map<string, Held>();

  constructor(runtime: Runtime, hub: Client) {
    this.#runtime = runtime;
    this.#hub = hub;
  }

  /**
   * Renews the lease of a cluster once per period from now on. If the lease has expired on the hub (`isMissed`), the first renewal is
   * immediate. Otherwise the first renewal is at a random time within the period, which spreads the renewals of all clusters. The lease is
   * still valid then, because the hub creates it with the current time.
   */
  hold(cluster: string, periodMs: number, isMissed: boolean): void {
    const now = this.#runtime.clock.monotonic();
    const held = this.#held.get(cluster);
    if (!held)
      this.#held.set(cluster, { dueAt: isMissed ? now : now + periodMs * this.#runtime.random.next(), periodMs, known: undefined });
    else {
      held.periodMs = periodMs;
      held.dueAt = isMissed ? now : Math.min(held.dueAt, now + periodMs);
    }
  }

  drop(cluster: string): void {
    this.#held.delete(cluster);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, timers } = this.#runtime;
    while (!signal.aborted) {
      const now = clock.monotonic();
      for (const [cluster, held] of this.#held) if (held.dueAt <= now && !signal.aborted) await this.#renew(cluster, held, signal);
      await timers.sleep(TICK_MS, signal).catch(() => undefined);
    }
  }

  async #renew(cluster: string, held: Held, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#runtime;
    try {
      const lease = held.known ?? (await this.#hub.get(leases, { namespace: cluster, name: CLUSTER_LEASE_NAME }, { signal }));
      const annotations = { ...lease.metadata.annotations, [AGENT_VERSION_ANNOTATION]: VERSION };
      const renewed = {
        ...lease,
        metadata: { ...lease.metadata, annotations },
        spec: { ...lease.spec, renewTime: toMicroTime(clock.now()) },
      };
      held.known = await this.#hub.replace(leases, renewed, { signal });
      held.dueAt = clock.monotonic() + held.periodMs * (0.75 + random.next() * 0.25);
    } catch (error) {
      if (signal.aborted) return;
      held.known = undefined;
      held.dueAt = clock.monotonic() + RETRY_MS;
      if (!isApiError(error)) log.warn({ cluster, error }, 'the lease of a simulated cluster was not renewed');
    }
  }
}
