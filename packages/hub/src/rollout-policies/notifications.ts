import { type Cancel, type Logger, type Timers, errorMessage } from '@outrigger/core';
import type { EffectHandler, Source } from '@outrigger/kube';
import type { AddressedNotification } from '@outrigger/rules/policy';

/** Sends one signed notification to an address. Rejects if the address did not accept it. */
export interface NotificationTarget {
  send(body: string, signal: AbortSignal): Promise<void>;
}

/** The delays before the second and third attempt. */
const RETRY_AFTER_MS = [5_000, 30_000];
/** The maximum number of notifications that wait for one address. Any further ones are dropped. */
const MAX_PENDING = 100;

/**
 * Calls the webhooks of RolloutPolicies. Like Events, notifications are best effort: the fleet controller does not wait for them, a failed
 * attempt is repeated twice, and a manager that stops drops the notifications that still wait.
 */
export class Notifications implements Source {
  readonly #targets: ReadonlyMap<string, NotificationTarget>;
  readonly #timers: Pick<Timers, 'sleep'>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #stop = new AbortController();
  /** The number of notifications that wait, by address. */
  readonly #pending = new Map<string, number>();

  constructor(targets: ReadonlyMap<string, NotificationTarget>, timers: Pick<Timers, 'sleep'>, log: Pick<Logger, 'warn'>) {
    this.#targets = targets;
    this.#timers = timers;
    this.#log = log;
  }

  start(): Cancel {
    return () => this.#stop.abort();
  }

  /** The handler of the effect that sends notifications. */
  readonly notify: EffectHandler<readonly AddressedNotification[]> = async (notifications) => {
    for (const { urls, notification } of notifications) {
      const body = JSON.stringify(notification);
      for (const url of urls) void this.#deliver(url, body);
    }
  };

  async #deliver(url: string, body: string): Promise<void> {
    const target = this.#targets.get(url);
    if (!target) return this.#log.warn({ url }, 'a RolloutPolicy names an address for notifications that no flag of the manager defines');
    if (this.#pendingOf(url) >= MAX_PENDING) return this.#log.warn({ url }, 'too many notifications wait; one was dropped');
    this.#pending.set(url, this.#pendingOf(url) + 1);
    try {
      await this.#attempt(target, body);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#log.warn({ url, error: errorMessage(error) }, 'a notification could not be delivered');
    } finally {
      this.#pending.set(url, this.#pendingOf(url) - 1);
    }
  }

  #pendingOf(url: string): number {
    return this.#pending.get(url) ?? 0;
  }

  async #attempt(target: NotificationTarget, body: string): Promise<void> {
    const { signal } = this.#stop;
    for (const delayMs of RETRY_AFTER_MS) {
      try {
        return await target.send(body, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        await this.#timers.sleep(delayMs, signal);
      }
    }
    await target.send(body, signal);
  }
}
