import type { RolloutEntry, TargetChange } from '@outrigger/api';
import type { StepDecision } from '../decide.js';
import type { StepInput } from '../input.js';
import { endedMoves, type Moves } from './moves.js';
import { targetRecordName } from './stored-record.js';
import { type TargetRecord, targetRecord, withRecordName } from './target-record.js';

/** The record, input and decision of one pass over an entry, for one of its targets. */
export interface ObservedTarget {
  readonly entry: RolloutEntry;
  readonly input: StepInput;
  readonly decision: StepDecision;
}

interface RecordStep {
  readonly addOn: string;
  /** Whether a policy governs the add-on. If not, no moves are recorded. */
  readonly isGoverned: boolean;
  readonly before: RolloutEntry | undefined;
  readonly next: ObservedTarget;
  /** The current state of the previous target, if the entry got another target before the previous one completed. */
  readonly closed: ObservedTarget | undefined;
  readonly now: { readonly wall: number; readonly time: string };
}

/**
 * Records the moves of the clusters. While the target continues, the entry keeps the moves that have ended. When the target ends, this
 * function returns a TargetRecord, adds its name to the timeline of the entry, and removes the moves from the entry.
 */
export function recordTarget(step: RecordStep): { readonly entry: RolloutEntry; readonly records: readonly TargetRecord[] } {
  const { before, next, closed, isGoverned, now } = step;
  if (!isGoverned && before?.moves === undefined) return { entry: next.entry, records: [] };
  const records: TargetRecord[] = [];
  let { entry } = next;
  const end = (change: TargetChange | undefined, target: ObservedTarget, moves: Moves): void => {
    const inFlight = target.entry.inFlight ?? [];
    const record = change && targetRecord({ addOn: step.addOn, entry: entry.name, change, input: target.input, inFlight, moves, now });
    if (!change || !record) return;
    records.push(record);
    entry = withRecordName(entry, change, targetRecordName(record));
  };
  const isSameTarget = before !== undefined && before.targetRevision === entry.targetRevision;
  if (!isSameTarget && before && closed) {
    end(entry.timeline?.[1], closed, endedMoves({ before, decision: closed.decision, now }));
  }
  const [change] = entry.timeline ?? [];
  const hadEnded = isSameTarget && before.timeline?.[0]?.outcome === 'Completed';
  if (hadEnded) return { entry, records };
  const moves = isSameTarget ? endedMoves({ before, decision: next.decision, now }) : {};
  if (change?.outcome === 'Completed') end(change, next, moves);
  else if (Object.keys(moves).length > 0) entry = { ...entry, moves };
  return { entry, records };
}
