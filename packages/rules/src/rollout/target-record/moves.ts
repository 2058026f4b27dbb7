import { EVERY_CLUSTER, type RolloutEntry } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import type { StepDecision } from '../decide.js';
import type { ObservedCluster } from '../input.js';

/** The move of one cluster to a target. Times are in seconds since the target was set. */
export interface Move {
  /** The time at which the cluster was admitted. */
  readonly admitted: number;
  /** The time from the admission until the cluster reported the target as done, or until its move ended in another way. */
  readonly seconds: number;
  /** Whether the cluster had failed when it was removed from the record. */
  readonly hasFailed: boolean;
}

export type Moves = Readonly<Record<string, string>>;

/**
 * The maximum number of bytes of all moves in the record of one entry. When the target ends, the moves are stored in a ControllerRevision,
 * which cannot hold more.
 */
const MAX_BYTES = 250_000;

/** Formats a move as `<seconds until the admission>+<duration in seconds>`, followed by `!` if the cluster failed. */
export function moveText({ admitted, seconds, hasFailed }: Move): string {
  return `${Math.round(admitted)}+${Math.max(0, Math.round(seconds))}${hasFailed ? '!' : ''}`;
}

export function readMove(text: string | undefined): Move | undefined {
  const [, admitted, seconds, failed] = /^(-?\d+)\+(\d+)(!?)$/.exec(text ?? '') ?? [];
  if (admitted === undefined || seconds === undefined) return undefined;
  return { admitted: Number(admitted), seconds: Number(seconds), hasFailed: failed === '!' };
}

interface MoveStep {
  readonly before: RolloutEntry;
  readonly decision: Pick<StepDecision, 'groups' | 'inFlight'>;
  readonly now: { readonly wall: number };
}

/** Returns the moves that have ended: those in the record, and those of the clusters that this step removes from it. */
export function endedMoves({ before, decision, now }: MoveStep): Moves {
  const moves = before.moves ?? {};
  const ended = new Set(
    (before.inFlight ?? []).flatMap(({ cluster }) => (cluster === EVERY_CLUSTER || decision.inFlight.has(cluster) ? [] : [cluster])),
  );
  if (ended.size === 0) return moves;
  const startedAt = parseTime(before.startedAt) ?? now.wall;
  const succeeded = new Set(decision.groups.flatMap(({ arrived }) => arrived.map(({ cluster }) => cluster)));
  const next: Record<string, string> = { ...moves };
  let size = sizeOf(moves);
  for (const seen of decision.groups.flatMap(({ clusters }) => clusters)) {
    if (!ended.has(seen.cluster) || !seen.admission) continue;
    const text = moveText(endedMove(seen, { startedAt, hasFailed: !succeeded.has(seen.cluster), now: now.wall }));
    size += seen.cluster.length + text.length + 2;
    if (size <= MAX_BYTES) next[seen.cluster] = text;
  }
  return next;
}

function endedMove(
  { admission, movedSeconds }: ObservedCluster,
  { startedAt, hasFailed, now }: { readonly startedAt: number; readonly hasFailed: boolean; readonly now: number },
): Move {
  const admittedAt = parseTime(admission?.admittedAt) ?? startedAt;
  const elapsed = (now - admittedAt) / 1000;
  return { admitted: (admittedAt - startedAt) / 1000, seconds: hasFailed ? elapsed : (movedSeconds ?? elapsed), hasFailed };
}

function sizeOf(moves: Moves): number {
  return Object.entries(moves).reduce((sum, [cluster, text]) => sum + cluster.length + text.length + 2, 0);
}
