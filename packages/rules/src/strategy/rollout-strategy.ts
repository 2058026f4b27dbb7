import type { MandatoryDecisionGroup, RolloutStrategy } from '@outrigger/api';
import { parseDuration } from '@outrigger/core';

type RolloutType = NonNullable<RolloutStrategy['type']>;

/** The rules of each type of rollout strategy that are not about its budget. */
const TYPES: Readonly<Record<RolloutType, RolloutTypeRule>> = {
  All: { settings: 'all', isGroupByGroup: false },
  Progressive: { settings: 'progressive', isGroupByGroup: false },
  ProgressivePerGroup: { settings: 'progressivePerGroup', isGroupByGroup: true },
};

interface RolloutTypeRule {
  /** The field of the strategy that has the settings of the type. */
  readonly settings: Exclude<keyof RolloutStrategy, 'type'>;
  /** Whether decision groups are admitted one after another, each with its own maxFailures. */
  readonly isGroupByGroup: boolean;
}

/** A rolloutStrategy with its durations and counts parsed, as input to the rollout rules. */
export interface Strategy {
  readonly type: RolloutType;
  /** The time in milliseconds for which a done cluster must stay available before it has succeeded. Not used for strategy All. */
  readonly minSuccessMs: number;
  /** Undefined: no time limit. */
  readonly progressDeadlineMs: number | undefined;
  readonly maxFailures: Amount;
  /** The budget, only for Progressive; undefined means the size of a decision group. */
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

/**
 * Parses a strategy. A value that cannot be parsed counts as absent, so that a stored object never stops a pass. `strategyProblem` reports
 * such a value, and no cluster is admitted until it is corrected.
 */
export function readStrategy(spec: RolloutStrategy | undefined): Strategy {
  const type = typeOf(spec);
  const options = settingsOf(spec);
  if (type === 'All') return { ...ALL, progressDeadlineMs: deadline(options.progressDeadline) };
  return {
    type,
    minSuccessMs: (options.minSuccessTime && durationMs(options.minSuccessTime)) || 0,
    progressDeadlineMs: deadline(options.progressDeadline),
    maxFailures: readAmount(options.maxFailures) ?? { count: 0 },
    maxConcurrency: type === 'Progressive' ? readAmount(options.maxConcurrency) : undefined,
    mandatoryGroups: options.mandatoryDecisionGroups ?? [],
  };
}

/**
 * Returns the path of a value that cannot be parsed, with the problem. Undefined if all values can be parsed. Outrigger's CRDs reject such
 * values, but a CRD that another program installed may accept them.
 */
export function strategyProblem(spec: RolloutStrategy | undefined): string | undefined {
  const field = TYPES[typeOf(spec)].settings;
  const { minSuccessTime, progressDeadline, maxFailures, maxConcurrency } = settingsOf(spec);
  const isDuration = (text: string | undefined): boolean => text === undefined || durationMs(text) !== undefined;
  const isAmount = (value: number | string | undefined): boolean => value === undefined || readAmount(value) !== undefined;
  const unreadable = (name: string, value: unknown, wanted: string): string =>
    `rolloutStrategy.${field}.${name} ${JSON.stringify(value)} is not ${wanted}`;
  if (!isDuration(minSuccessTime)) return unreadable('minSuccessTime', minSuccessTime, 'a duration such as 10m');
  if (progressDeadline !== 'None' && !isDuration(progressDeadline))
    return unreadable('progressDeadline', progressDeadline, 'a duration such as 10m, or None');
  if (!isAmount(maxFailures)) return unreadable('maxFailures', maxFailures, 'a number or a percentage such as 10%');
  if (!isAmount(maxConcurrency)) return unreadable('maxConcurrency', maxConcurrency, 'a number or a percentage such as 10%');
  return undefined;
}

/** Whether decision groups are admitted one after another, each with its own maxFailures. */
export function isGroupByGroup({ type }: Pick<Strategy, 'type'>): boolean {
  return TYPES[type].isGroupByGroup;
}

/** Returns the type. A CRD that another program installed may have accepted an unknown type, which counts as the most cautious type. */
function typeOf(spec: RolloutStrategy | undefined): RolloutType {
  const type = spec?.type ?? 'All';
  return Object.hasOwn(TYPES, type) ? type : 'ProgressivePerGroup';
}

/** The settings of the type. `progressive` has the fields of all types. */
function settingsOf(spec: RolloutStrategy | undefined): NonNullable<RolloutStrategy['progressive']> {
  return spec?.[TYPES[typeOf(spec)].settings] ?? {};
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

/** Returns the size of a Placement's decision groups. Without `clustersPerDecisionGroup`, or if it is 0, one group has all clusters. */
export function decisionGroupSize(value: number | string | undefined, total: number): number {
  const amount = readAmount(value);
  return (amount && amountOf(amount, total)) || total;
}

function deadline(text: string | undefined): number | undefined {
  return text === undefined || text === 'None' ? undefined : durationMs(text);
}

/**
 * Returns a duration in milliseconds, or undefined if the text is not a duration. Does not throw, because a stored object that admission
 * would have rejected must not stop a pass.
 */
function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
