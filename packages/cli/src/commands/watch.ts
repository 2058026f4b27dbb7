import type { Client } from '@outrigger/kube';
import { type WatchingSource, watchingSource } from '../fleet/source.js';
import type { CommandContext } from './context.js';

/** The time in milliseconds to wait for further changes, which are then shown together. */
const GATHER_MS = 50;
/** The interval in milliseconds at which a terminal is redrawn while nothing changes, so that ages stay current. */
const TICK_MS = 5_000;

export interface Follow<T> {
  /** Reads the objects to show. It is called again after any of them has changed. */
  readonly look: (source: WatchingSource) => Promise<T>;
  /** Shows the value. Returns true to stop watching, or the number of milliseconds after which to stop if nothing changes. */
  readonly show: (value: T) => boolean | number | void;
  /** The maximum time in milliseconds to watch. */
  readonly limitMs?: number;
}

/** Watches the hub until `show` stops it, the time limit passes or the command is aborted. Resolves with true if `show` stopped it. */
export async function follow<T>(context: CommandContext, hub: Client, { look, show, limitMs }: Follow<T>): Promise<boolean> {
  const runtime = await context.runtime();
  const { clock, timers } = runtime;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  context.signal.addEventListener('abort', end, { once: true });
  const onLost = (message: string): void => context.terminal.note(`the hub stopped answering, trying again: ${message}\n`);
  const source = watchingSource({ hub, runtime, signal: ending.signal, onLost });
  const endAt = clock.monotonic() + (limitMs ?? Infinity);
  try {
    while (!context.signal.aborted) {
      const verdict = show(await look(source));
      if (verdict === true) return true;
      if (clock.monotonic() >= endAt) return false;
      const isQuiet = await quietFor(typeof verdict === 'number' ? verdict : endAt - clock.monotonic());
      if (isQuiet && typeof verdict === 'number') return true;
      await timers.sleep(GATHER_MS, ending.signal).catch(() => undefined);
    }
    return false;
  } finally {
    ending.abort();
    context.signal.removeEventListener('abort', end);
  }

  /**
   * Waits for a change for at most `delayMs`, and on a terminal also for at most TICK_MS. Resolves with true if `delayMs` has passed
   * without a change.
   */
  async function quietFor(delayMs: number): Promise<boolean> {
    const waiting = new AbortController();
    const limit = Math.min(delayMs, context.terminal.isLive ? TICK_MS : Infinity);
    const cancel = Number.isFinite(limit) ? timers.after(limit, () => waiting.abort()) : () => undefined;
    await source.changed(AbortSignal.any([waiting.signal, ending.signal]));
    cancel();
    return waiting.signal.aborted && limit === delayMs;
  }
}
