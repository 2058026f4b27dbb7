import type { MandatoryDecisionGroup, RolloutStrategy } from '@outrigger/api';
import { parseDuration } from '@outrigger/core';

/** A rolloutStrategy with its durations and counts parsed, as input to the rollout rules. */
export interface Strategy {
  readonly type: 'All' | 'Progressive' | 'ProgressivePerGroup';
  /** How long a done cluster must stay available before it has succeeded. Not used for strategy All. */
  readonly minSuccessMs: number;
  /** Undefined: no time limit. */
  readonly progressDeadlineMs: number | undefined;
  readonly maxFailures: Amount;
  /** Progressive only; undefined means the size of a decision group. */
  readonly maxConcurrency: Amount | undefined;
  readonly mandatoryGroups: readonly MandatoryDecisionGroup[];
}

/** A number of clusters, or a percentage of them. */
export type Amount = { readonly count: number } | { readonly percent: number };

const ALL: Strategy = {
  type: 'All',
  minSuccessMs: 0,
  progressDeadlineMs: undefined,
  maxFailures: { percent: 100 },
  maxConcurrency: undefined,
  mandatoryGroups: [],
};

/** Parses a strategy. Values that the schema would have rejected count as absent, so that a stored object never stops a pass. */
export function readStrategy(spec: RolloutStrategy | undefined): Strategy {
  const type = spec?.type ?? 'All';
  if (type === 'All') {
    return { ...ALL, progressDeadlineMs: deadline(spec?.all?.progressDeadline) };
  }
  const options = (type === 'Progressive' ? spec?.progressive : spec?.progressivePerGroup) ?? {};
  const concurrency = type === 'Progressive' ? spec?.progressive?.maxConcurrency : undefined;
  return {
    type: type === 'Progressive' ? 'Progressive' : 'ProgressivePerGroup',
    minSuccessMs: (options.minSuccessTime && durationMs(options.minSuccessTime)) || 0,
    progressDeadlineMs: deadline(options.progressDeadline),
    maxFailures: readAmount(options.maxFailures) ?? { count: 0 },
    maxConcurrency: readAmount(concurrency),
    mandatoryGroups: options.mandatoryDecisionGroups ?? [],
  };
}

export function readAmount(value: number | string | undefined): Amount | undefined {
  if (typeof value === 'number') return { count: value };
  if (value === undefined) return undefined;
  const match = /^(\d+)(%?)$/.exec(value);
  if (!match) return undefined;
  return match[2] === '%' ? { percent: Number(match[1]) } : { count: Number(match[1]) };
}

/** Returns the number of clusters. A percentage is rounded up; the result is at most the total. */
export function amountOf(amount: Amount, total: number): number {
  const wanted = 'count' in amount ? amount.count : Math.ceil((amount.percent * total) / 100);
  return Math.max(0, Math.min(wanted, total));
}

function deadline(text: string | undefined): number | undefined {
  return text === undefined || text === 'None' ? undefined : durationMs(text);
}

/**
 * Returns milliseconds, or undefined if the text is not a duration. Does not throw, because a stored object that admission would have
 * rejected must not stop a pass.
 */
function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
