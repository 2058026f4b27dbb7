import { addressOf, type ViewData, type ViewRequest } from '@outrigger/console-contract';
import type { Session } from '../sessions/sessions.js';
import type { ConsoleState } from '../state/state.js';
import { viewText } from './view-text.js';

/** Maximum number of serialized views in the cache. Users with the same permissions share views. */
const MOST_KEPT_VIEWS = 32;

/**
 * Returns a function that serializes views. The large views that most users open (fleet and summary) are kept until the fleet changes; all
 * others are computed for each request.
 */
export function createViewCache(
  compute: (session: Session, request: ViewRequest) => Promise<ViewData>,
  { log }: Pick<ConsoleState, 'log'>,
): (session: Session, request: ViewRequest) => Promise<string> {
  const kept = new Map<string, { readonly sequence: number; readonly text: Promise<string> }>();
  const serialize = async (session: Session, request: ViewRequest): Promise<string> => viewText(await compute(session, request));
  return (session, request) => {
    if (request.view !== 'fleet' && request.view !== 'summary') return serialize(session, request);
    const key = `${addressOf(request)} ${session.sight.fingerprint}`;
    const { sequence } = log;
    const found = kept.get(key);
    if (found?.sequence === sequence) return found.text;
    const text = serialize(session, request);
    kept.delete(key);
    kept.set(key, { sequence, text });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT_VIEWS && oldest !== undefined) kept.delete(oldest);
    return text;
  };
}
