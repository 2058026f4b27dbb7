/** Rate limit for one requester: an initial burst, then `perMinute` requests per minute. */
export interface RequestRate {
  readonly burst: number;
  readonly perMinute: number;
}

/** The default rate. An agent sends one request per registration of each add-on, and another when a certificate is about to expire. */
export const DEFAULT_RATE: RequestRate = { burst: 60, perMinute: 30 };

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_BUCKETS = 20_000;

/**
 * One bucket per requester and class of requests (`budgetOf`), so that a cluster that floods the hub with requests delays only itself.
 * Keeps at most `MAX_BUCKETS` buckets, and drops the least recently used.
 */
export class RequestBudget {
  readonly #rate: RequestRate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: RequestRate = DEFAULT_RATE) {
    this.#rate = rate;
  }

  /** Milliseconds until the requester's next request may be examined; 0 if it may be examined now. */
  waitMs(requester: string, monotonic: number): number {
    const tokens = this.#tokens(requester, monotonic);
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 60_000) / this.#rate.perMinute);
  }

  take(requester: string, monotonic: number): void {
    const tokens = this.#tokens(requester, monotonic);
    this.#buckets.delete(requester); // reinsert, so that the map stays ordered by last use
    this.#buckets.set(requester, { tokens: tokens - 1, at: monotonic });
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value as string);
  }

  #tokens(requester: string, monotonic: number): number {
    const bucket = this.#buckets.get(requester);
    if (!bucket) return this.#rate.burst;
    return Math.min(this.#rate.burst, bucket.tokens + ((monotonic - bucket.at) * this.#rate.perMinute) / 60_000);
  }
}
