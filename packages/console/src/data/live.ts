// The views of this page, in this browser.
import type { ViewRequest } from '@outrigger/console-contract';
import { after, every, nextFrame, nowMs } from '../adapters/clock.js';
import { openStream } from '../adapters/event-stream.js';
import { getJson } from '../adapters/request.js';
import { linkFound, linkLost, signedOut } from './link.js';
import { LiveViews, type Shown } from './live-views.js';
import { readSession } from './session.js';
import type { Store } from './store.js';

const live = new LiveViews(
  { nowMs, after, nextFrame, isHidden: () => document.hidden, getJson, openStream },
  { found: linkFound, lost: linkLost, signedOut, recovered: readSession },
);

/** Keeps a view current as long as it is used. */
export function watchView(request: ViewRequest): { readonly store: Store<Shown<unknown>>; readonly stop: () => void } {
  return live.watch(request);
}

export function askAgain(request: ViewRequest): void {
  live.askAgain(request);
}

export function startLive(): void {
  document.addEventListener('visibilitychange', () => live.visibilityChanged());
  every(1_000, () => live.tick());
}
