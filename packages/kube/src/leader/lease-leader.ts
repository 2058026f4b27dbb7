import { type Cancel, errorMessage, isApiError, keyString, type ObjectKey, type Runtime } from '@outrigger/core';
import type { Client } from '../client/types.js';
import { NotLeadingError } from './fence.js';
import { acquired, annotated, type Lease, LEASES, newLease, released } from './lease.js';
import type { Leader, LeaderListener } from './leader.js';

export interface LeaseLeaderOptions {
  readonly runtime: Runtime;
  /** A client that uses the unfenced transport, because the election must work while this process does not lead. */
  readonly client: Client;
  readonly lease: ObjectKey;
  /** Human-readable name of this replica. A random suffix is added, so that a restarted process is a different candidate. */
  readonly name: string;
  readonly timing?: LeaseTiming;
  /** Annotations that the holder writes to the lease with every renewal. If a value is undefined, the annotation is removed. */
  readonly annotations?: () => Readonly<Record<string, string | undefined>>;
}

export interface LeaseTiming {
  /** The time that other candidates wait after the last renewal that they observed, before they may take the lease. */
  readonly leaseDurationMs: number;
  /** The time after the start of its last successful renewal during which the holder may still write. */
  readonly renewDeadlineMs: number;
  /** The minimum time between two attempts to take or renew the lease. */
  readonly retryPeriodMs: number;
}

export const DEFAULT_TIMING: LeaseTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

interface Term {
  /** The start of the last successful renewal, on both clocks. */
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Elects a leader with a coordination.k8s.io Lease. README.md in this folder explains what the election guarantees and what it does not.
 */
export function createLeaseLeader(options: LeaseLeaderOptions): Leader {
  return new LeaseLeader(options);
}

class LeaseLeader implements Leader {
  readonly writeTimeoutMs: number;
  readonly #runtime: Runtime;
  readonly #client: Client;
  readonly #key: ObjectKey;
  readonly #timing: LeaseTiming;
  readonly #annotations: () => Readonly<Record<string, string | undefined>>;
  readonly #identity: string;
  readonly #log: Runtime['log'];
  readonly #stopping = new AbortController();
  #listener: LeaderListener | undefined;
  #running: Promise<void> | undefined;
  #term: Term | undefined;
  /** The lease as last seen, and the monotonic time at which this process first saw it in this state. */
  #observed: { readonly lease: Lease; readonly at: number } | undefined;
  #cancelDeadline: Cancel = () => undefined;

  constructor({ runtime, client, lease, name, timing = DEFAULT_TIMING, annotations = () => ({}) }: LeaseLeaderOptions) {
    assertTiming(timing);
    this.writeTimeoutMs = timing.leaseDurationMs - timing.renewDeadlineMs;
    this.#runtime = runtime;
    this.#client = client;
    this.#key = lease;
    this.#timing = timing;
    this.#annotations = annotations;
    this.#identity = `${name}_${runtime.random.uuid()}`;
    this.#log = runtime.log.child({ lease: keyString(lease), identity: this.#identity });
  }

  get isLeading(): boolean {
    if (!this.#term) return false;
    const { clock } = this.#runtime;
    const { renewDeadlineMs } = this.#timing;
    // Check both clocks, because the monotonic clock does not advance while the machine is suspended, but the wall clock does.
    return clock.monotonic() - this.#term.monotonic < renewDeadlineMs && clock.now() - this.#term.wall < renewDeadlineMs;
  }

  get term(): string | undefined {
    const spec = this.#observed?.lease.spec;
    return this.#term && `${spec?.leaseTransitions ?? 0}/${this.#identity}`;
  }

  check(): void {
    if (!this.isLeading) throw new NotLeadingError(`${this.#identity} does not hold the lease ${keyString(this.#key)} for certain`);
  }

  start(listener: LeaderListener): void {
    if (this.#running) throw new Error('the election was started before');
    this.#listener = listener;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the election was stopped'));
    await this.#running;
    await this.#release();
  }

  async #run(): Promise<void> {
    const { random } = this.#runtime;
    while (!this.#stopping.signal.aborted) {
      await this.#tick();
      await this.#pause(this.#timing.retryPeriodMs * (1 + random.next() / 5));
    }
  }

  async #tick(): Promise<void> {
    const { clock } = this.#runtime;
    const startedAt: Term = { monotonic: clock.monotonic(), wall: clock.now() };
    try {
      if (await this.#attempt()) this.#lead(startedAt);
      else if (this.#term) this.#lose(`held by ${this.#observed?.lease.spec?.holderIdentity ?? 'another'}`);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#log.warn({ error: errorMessage(error) }, 'lease not renewed');
    }
  }

  async #pause(delayMs: number): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await this.#runtime.timers.sleep(delayMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /**
   * Returns whether this process holds the lease after the attempt. Every update includes the resourceVersion of the lease from which it
   * was computed.
   */
  async #attempt(): Promise<boolean> {
    const { leaseDurationMs, renewDeadlineMs } = this.#timing;
    const options = { signal: this.#stopping.signal, timeoutMs: renewDeadlineMs };
    const candidate = { identity: this.#identity, leaseDurationMs, now: this.#runtime.clock.now() };
    try {
      // While this process leads, no other process should have written the lease, so renew the lease without reading it.
      const known = this.#term ? this.#observed?.lease : undefined;
      const lease = known ?? this.#see(await this.#client.get(LEASES, this.#key, options));
      if (!this.#isFree(lease)) return false;
      const held = annotated({ ...lease, spec: acquired(lease.spec, candidate) }, this.#annotations());
      this.#see(await this.#client.replace(LEASES, held, options));
      return true;
    } catch (error) {
      if (isApiError(error, 'Conflict')) {
        const { spec } = this.#see(await this.#client.get(LEASES, this.#key, options));
        return spec?.holderIdentity === this.#identity && this.#attempt();
      }
      if (!isApiError(error, 'NotFound')) throw error;
      this.#see(await this.#client.create(LEASES, annotated(newLease(this.#key, candidate), this.#annotations()), options));
      return true;
    }
  }

  #see(lease: Lease): Lease {
    if (this.#observed?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion) {
      this.#observed = { lease, at: this.#runtime.clock.monotonic() };
    }
    return lease;
  }

  #isFree({ spec }: Lease): boolean {
    if (!spec?.holderIdentity || spec.holderIdentity === this.#identity) return true;
    const heldForMs = Math.max(this.#timing.leaseDurationMs, (spec.leaseDurationSeconds ?? 0) * 1000);
    return this.#observed !== undefined && this.#runtime.clock.monotonic() - this.#observed.at >= heldForMs;
  }

  #lead(startedAt: Term): void {
    const { clock, timers } = this.#runtime;
    const { renewDeadlineMs } = this.#timing;
    const leftMs = startedAt.monotonic + renewDeadlineMs - clock.monotonic();
    if (leftMs <= 0) return; // The response arrived so late that the term that it would have extended has already ended.
    const isNew = this.#term === undefined;
    this.#term = startedAt;
    this.#cancelDeadline();
    this.#cancelDeadline = timers.after(leftMs, () => this.#lose(`not renewed within ${renewDeadlineMs} ms`));
    if (!isNew) return;
    this.#log.info({ transitions: this.#observed?.lease.spec?.leaseTransitions ?? 0 }, 'leading');
    this.#listener?.leading();
  }

  #lose(reason: string): void {
    if (!this.#term) return;
    this.#term = undefined;
    this.#cancelDeadline();
    this.#log.warn({ reason }, 'leadership lost');
    this.#listener?.lost(reason);
  }

  async #release(): Promise<void> {
    const lease = this.#observed?.lease;
    if (!this.#term || !lease) return;
    this.#lose('stopped');
    const { clock } = this.#runtime;
    try {
      const timeoutMs = this.#timing.retryPeriodMs;
      await this.#client.replace(LEASES, { ...lease, spec: released(lease.spec, clock.now()) }, { timeoutMs });
    } catch (error) {
      this.#log.warn({ error: errorMessage(error) }, 'lease could not be released; it will expire');
    }
  }
}

function assertTiming({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaseTiming): void {
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > 2 * retryPeriodMs && retryPeriodMs > 0) return;
  throw new Error(
    `a lease needs duration > renew deadline > 2 × retry period > 0, got ${leaseDurationMs} ms, ${renewDeadlineMs} ms, ${retryPeriodMs} ms`,
  );
}
