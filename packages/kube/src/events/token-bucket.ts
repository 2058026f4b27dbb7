/** Allows bursts of up to `burst` events, and `perSecond` events per second on average. The caller passes the time. */
export class TokenBucket {
  readonly #rate: { readonly burst: number; readonly perSecond: number };
  #tokens: number;
  #at: number;

  constructor(rate: { readonly burst: number; readonly perSecond: number }, nowMs: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = nowMs;
  }

  take(nowMs: number): boolean {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + ((nowMs - this.#at) * this.#rate.perSecond) / 1000);
    this.#at = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
