import type { RolloutEntry } from '@outrigger/api';
import type { Now } from '@outrigger/kube';
import { withPrediction } from '@outrigger/rules/prediction';
import type { FleetState } from './state.js';

/**
 * The time for which a prediction waits to be written together with another change of the record. After this time the prediction is written
 * alone, once per target.
 */
const ALONE_AFTER_MS = 5_000;

/** The next entries with their predictions, and the time of the next pass if a prediction waits to be written. */
export interface RecordedPredictions {
  readonly records: readonly RolloutEntry[];
  readonly recheckMs: number | undefined;
}

/** Adds predictions to the entries. A new prediction is written with the next change of the record, or alone after a delay. */
export function recordPredictions(
  { rollout, policies, predictions }: FleetState,
  entries: readonly RolloutEntry[],
  isWritten: (entries: readonly RolloutEntry[]) => boolean,
  now: Now,
): RecordedPredictions {
  const isGoverned = policies.length > 0;
  if (!isGoverned) return { records: entries, recheckMs: undefined };
  const before = rollout?.status.entries ?? [];
  const add = (predicted: typeof predictions.predicted): readonly RolloutEntry[] =>
    entries.map((entry) =>
      withPrediction(
        entry,
        before.find(({ name }) => name === entry.name),
        { isGoverned, predicted },
      ),
    );
  const known = add([]);
  const all = add(predictions.predicted);
  const isNew = all.some(({ prediction }, i) => prediction !== known[i]?.prediction);
  if (!isNew || isWritten(known)) return { records: all, recheckMs: undefined };
  const waitMs = Math.min(...predictions.predicted.map(({ computedAt }) => computedAt)) + ALONE_AFTER_MS - now.monotonic;
  return waitMs > 0 ? { records: known, recheckMs: waitMs } : { records: all, recheckMs: undefined };
}
