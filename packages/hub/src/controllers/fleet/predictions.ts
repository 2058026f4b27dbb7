import type { RolloutEntry } from '@outrigger/api';
import type { Now } from '@outrigger/kube';
import { withPrediction } from '@outrigger/rules/rollout';
import type { FleetState } from './state.js';

/** A prediction waits this long for another write of the record, then it is written alone: once per target. */
const ALONE_AFTER_MS = 5_000;

/** The next entries with their predictions, and when to look again because a prediction waits for a write. */
export interface RecordedPredictions {
  readonly records: readonly RolloutEntry[];
  readonly recheckMs: number | undefined;
}

/** Adds predictions to the entries. A new prediction is part of the next write of the record; it causes a write only after a while. */
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
