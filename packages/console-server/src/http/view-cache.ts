import { addressOf, type ViewData, type ViewRequest } from '@outrigger/console-contract';
import type { Runtime } from '@outrigger/core';
import type { Session } from '../sessions/sessions.js';
import type { ConsoleState } from '../state/state.js';
import { viewText } from './view-text.js';

/** Maximum number of serialized views in the cache. Users with the same permissions share views. */
const MOST_KEPT_VIEWS = 32;
/** The time in milliseconds for which a view is kept. Some problems appear without a change, such as a certificate that has ended. */
const KEPT_MS = 30_000;

/**
 * Returns a function that serializes views. The large views that most users open (fleet and summary) are kept for a short time, until the
 * fleet changes; all others are computed for each request.
 */
export function createViewCache(
  compute: (session: Session, request: ViewRequest) => Promise<ViewData>,
  { log }: Pick<ConsoleState, 'log'>,
  { clock }: Pick<Runtime, 'clock'>,
): (session: Session, request: ViewRequest) => Promise<string> {
  const kept = new Map<string, { readonly sequence: number; readonly computedAt: number; readonly text: Promise<string> }>();
  const serialize = async (session: Session, request: ViewRequest): Promise<string> => viewText(await compute(session, request));
  return (session, request) => {
    if (request.view !== 'fleet' && request.view !== 'summary') return serialize(session, request);
    const key = `${addressOf(request)} ${session.sight.fingerprint}`;
    const { sequence } = log;
    const found = kept.get(key);
    const computedAt = clock.monotonic();
    if (found?.sequence === sequence && computedAt - found.computedAt < KEPT_MS) return found.text;
    const text = serialize(session, request);
    kept.delete(key);
    kept.set(key, { sequence, computedAt, text });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT_VIEWS && oldest !== undefined) kept.delete(oldest);
    return text;
  };
}
