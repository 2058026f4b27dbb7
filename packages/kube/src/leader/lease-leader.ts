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
  /** Annotations that the holder writes to the lease with every renewal. The value undefined removes an annotation. */
  readonly annotations?: () => Readonly<Record<string, string | undefined>>;
}

export interface LeaseTiming {
  /** How long other candidates wait after the last renewal that they observed. */
  readonly leaseDurationMs: number;
  /** How long the holder acts after the start of its last successful renewal. */
  readonly renewDeadlineMs: number;
  /** Between two attempts. */
  readonly retryPeriodMs: number;
}

export const DEFAULT_TIMING: LeaseTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

interface Term {
  /** The start of the last successful renewal, on both clocks. */
  readonly monotonic: number;
  readonly wall: number;
}

/** Elects a leader with a coordination.k8s.io Lease. README.md in this folder explains what it guarantees and what it does not. */
export function createLeaseLeader(options: LeaseLeaderOptions): Leader {
  const { runtime, client, lease: key, name, timing = DEFAULT_TIMING, annotations = () => ({}) } = options;
  assertTiming(timing);
  const { clock, timers, random } = runtime;
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timing;
  const identity = `${name}_${random.uuid()}`;
  const log = runtime.log.child({ lease: keyString(key), identity });
  const stopping = new AbortController();
  let listener: LeaderListener | undefined;
  let running: Promise<void> | undefined;
  let term: Term | undefined;
  /** The lease as last seen, and the monotonic time at which a change was last seen. */
  let observed: { readonly lease: Lease; readonly at: number } | undefined;
  let cancelDeadline: Cancel = () => undefined;

  function isCertain(): boolean {
    if (!term) return false;
    // Check both clocks, because the monotonic clock does not advance while the machine is suspended, but the wall clock does.
    return clock.monotonic() - term.monotonic < renewDeadlineMs && clock.now() - term.wall < renewDeadlineMs;
  }

  function see(lease: Lease): Lease {
    if (observed?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion) observed = { lease, at: clock.monotonic() };
    return lease;
  }

  function isFree({ spec }: Lease): boolean {
    if (!spec?.holderIdentity || spec.holderIdentity === identity) return true;
    const heldForMs = Math.max(leaseDurationMs, (spec.leaseDurationSeconds ?? 0) * 1000);
    return observed !== undefined && clock.monotonic() - observed.at >= heldForMs;
  }

  /** Returns whether this process holds the lease after the attempt. Every write includes the resourceVersion that it was computed from. */
  async function attempt(): Promise<boolean> {
    const options = { signal: stopping.signal, timeoutMs: renewDeadlineMs };
    const candidate = { identity, leaseDurationMs, now: clock.now() };
    try {
      // While this process leads, no other process should have written the lease, so renew it without reading it first.
      const known = term ? observed?.lease : undefined;
      const lease = known ?? see(await client.get(LEASES, key, options));
      if (!isFree(lease)) return false;
      const held = annotated({ ...lease, spec: acquired(lease.spec, candidate) }, annotations());
      see(await client.replace(LEASES, held, options));
      return true;
    } catch (error) {
      if (isApiError(error, 'Conflict')) {
        see(await client.get(LEASES, key, options));
        return holds() && attempt();
      }
      if (!isApiError(error, 'NotFound')) throw error;
      see(await client.create(LEASES, annotated(newLease(key, candidate), annotations()), options));
      return true;
    }
  }

  function holds(): boolean {
    return observed?.lease.spec?.holderIdentity === identity;
  }

  async function tick(): Promise<void> {
    const startedAt: Term = { monotonic: clock.monotonic(), wall: clock.now() };
    try {
      if (await attempt()) lead(startedAt);
      else if (term) lose(`held by ${observed?.lease.spec?.holderIdentity ?? 'another'}`);
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ error: errorMessage(error) }, 'lease not renewed');
    }
  }

  function lead(startedAt: Term): void {
    const leftMs = startedAt.monotonic + renewDeadlineMs - clock.monotonic();
    if (leftMs <= 0) return; // The response arrived too late; the term it would have extended has already ended.
    const isNew = term === undefined;
    term = startedAt;
    cancelDeadline();
    cancelDeadline = timers.after(leftMs, () => lose(`not renewed within ${renewDeadlineMs} ms`));
    if (!isNew) return;
    log.info({ transitions: observed?.lease.spec?.leaseTransitions ?? 0 }, 'leading');
    listener?.leading();
  }

  function lose(reason: string): void {
    if (!term) return;
    term = undefined;
    cancelDeadline();
    log.warn({ reason }, 'leadership lost');
    listener?.lost(reason);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await tick();
      await pause(retryPeriodMs * (1 + random.next() / 5));
    }
  }

  async function pause(delayMs: number): Promise<void> {
    try {
      await timers.sleep(delayMs, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  }

  async function release(): Promise<void> {
    const lease = observed?.lease;
    if (!term || !lease) return;
    lose('stopped');
    try {
      await client.replace(LEASES, { ...lease, spec: released(lease.spec, clock.now()) }, { timeoutMs: retryPeriodMs });
    } catch (error) {
      log.warn({ error: errorMessage(error) }, 'lease could not be released; it will expire');
    }
  }

  return {
    get isLeading() {
      return isCertain();
    },
    get term() {
      const spec = observed?.lease.spec;
      return term && `${spec?.leaseTransitions ?? 0}/${identity}`;
    },
    writeTimeoutMs: leaseDurationMs - renewDeadlineMs,
    check() {
      if (!isCertain()) throw new NotLeadingError(`${identity} does not hold the lease ${keyString(key)} for certain`);
    },
    start(to) {
      if (running) throw new Error('the election was started before');
      listener = to;
      running = run();
    },
    async stop() {
      stopping.abort(new Error('the election was stopped'));
      await running;
      await release();
    },
  };
}

function assertTiming({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaseTiming): void {
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > 2 * retryPeriodMs && retryPeriodMs > 0) return;
  throw new Error(
    `a lease needs duration > renew deadline > 2 × retry period > 0, got ${leaseDurationMs} ms, ${renewDeadlineMs} ms, ${retryPeriodMs} ms`,
  );
}
