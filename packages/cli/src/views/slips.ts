import type { AddOnRollout, RolloutEntry } from '@outrigger/api';
import { slip } from '@outrigger/rules/prediction';
import { clean } from '../terminal/clean.js';

/** Returns a line that compares the rollout of an entry with the prediction from its start; empty if the entry has no prediction. */
export function slipText(entry: RolloutEntry, nowMs: number): string {
  const found = slip(entry.prediction, nowMs, entry);
  return found ? `${clean(entry.name)}: ${found.text}\n` : '';
}

/** Returns the rollout for machine-readable output, in which each entry with a prediction also has its `slip` at `nowMs`. */
export function withSlips(rollout: AddOnRollout, nowMs: number): AddOnRollout {
  const { status } = rollout;
  if (!status?.entries?.some(({ prediction }) => prediction !== undefined)) return rollout;
  const entries = status.entries.map((entry) => {
    const found = slip(entry.prediction, nowMs, entry);
    if (!found) return entry;
    const { standing, lateMs, waitedMs, text } = found;
    const waited = waitedMs > 0 ? { waitedSeconds: Math.floor(waitedMs / 1000) } : {};
    return { ...entry, slip: { standing, lateSeconds: Math.floor(lateMs / 1000), ...waited, text } };
  });
  return { ...rollout, status: { ...status, entries } };
}
