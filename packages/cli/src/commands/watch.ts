import type { CommandContext } from './context.js';

const POLL_MS = 1_000;

/** Shows something again and again until the command is to end; tells whether it changed since the last time. */
export async function repeat<T>(
  context: CommandContext,
  look: () => Promise<T>,
  show: (value: T, isChanged: boolean) => boolean | void,
): Promise<void> {
  const { timers } = await context.runtime();
  let last: string | undefined;
  while (!context.signal.aborted) {
    const value = await look();
    const text = JSON.stringify(value);
    if (show(value, text !== last) === true) return;
    last = text;
    await timers.sleep(POLL_MS, context.signal).catch(() => undefined);
  }
}
