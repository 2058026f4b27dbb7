import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { every, nowMs } from '../adapters/clock.js';
import { createStore, useStore } from '../data/store.js';
import { formatAgo, formatExact, formatLength } from './time.js';

// One clock for all times on the page. It pauses while the tab is in the background.
const now = createStore(nowMs());
let watchers = 0;
every(1_000, () => {
  if (watchers > 0 && !document.hidden) now.set(nowMs());
});

export function useNow(): number {
  useEffect(() => {
    watchers++;
    return () => {
      watchers--;
    };
  }, []);
  return useStore(now);
}

/** Shows how long ago a time was, with the exact time on hover. With `length`, it omits the word "ago". */
export function Moment({ at, length = false }: { at: string | number | undefined; length?: boolean }): JSX.Element | null {
  const current = useNow();
  const atMs = typeof at === 'string' ? Date.parse(at) : at;
  if (atMs === undefined || Number.isNaN(atMs)) return null;
  return (
    <time class="nowrap" dateTime={new Date(atMs).toISOString()} title={formatExact(atMs)}>
      {length ? formatLength(current - atMs) : formatAgo(atMs, current)}
    </time>
  );
}
