import type { RolloutEntry } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import { type prepareStep, reactToFailures } from '@outrigger/rules/rollout';

type StepContext = Parameters<typeof prepareStep>[0];
type PreparedStep = Extract<ReturnType<typeof prepareStep>, { readonly isPaused: boolean }>;
type Failures = Parameters<typeof reactToFailures>[2]['decision'];

/**
 * Decides, at one time in a run, whether the entry rolls back automatically. `failedSince` is the value that the previous call returned.
 */
export type Reaction = (decision: Failures, failedSince: string | undefined, now: number) => ReturnType<typeof reactToFailures>;

/** Returns the manager's reaction to failures. `recorded` is the record of the entry after the first step of the rollout. */
export function turnBack(
  { rollBack, history, rejections }: StepContext,
  { target, isPinned, isPaused, isWayBack }: PreparedStep,
  recorded: RolloutEntry,
): Reaction | undefined {
  if (!rollBack) return undefined;
  const { failedSince: _, ...entry } = recorded;
  return (decision, failedSince, now) => {
    const stopwatch = { wall: now, since: (_activity: string, _name: string, stored: number) => stored };
    const before = failedSince === undefined ? entry : { ...entry, failedSince };
    const context = { rollBack, history, rejections, stopwatch, now: { wall: now, time: toTime(now) } };
    return reactToFailures(context, entry.name, { target, before, isPinned, isPaused, isWayBack, decision });
  };
}
