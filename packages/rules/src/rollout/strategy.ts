import { durationMs } from './duration.js';

/** A rolloutStrategy with its durations and counts parsed, as input to the rollout rules. */
export interface Strategy {
  readonly type: 'All' | 'Progressive' | 'ProgressivePerGroup';
  /** How long a done cluster must stay available before it counts as succeeded. Never applies to All. */
  readonly minSuccessMs: number;
  /** Undefined: no time limit. */
  readonly progressDeadlineMs: number | undefined;
  readonly maxFailures: Amount;
  /** Progressive only; undefined means the size of a decision group. */
  readonly maxConcurrency: Amount | undefined;
  readonly mandatoryGroups: readonly GroupRef[];
}

/** A number of clusters, or a percentage of them. */
export type Amount = { readonly count: number } | { readonly percent: number };

/** A decision group by name, or by index if no name is given. */
export interface GroupRef {
  readonly groupName?: string;
  readonly groupIndex?: number;
}

/** The fields of upstream's RolloutStrategy that are read here. */
export interface RolloutStrategySpec {
  readonly type?: string;
  readonly all?: RolloutOptions;
  readonly progressive?: RolloutOptions;
  readonly progressivePerGroup?: RolloutOptions;
}

interface RolloutOptions {
  readonly minSuccessTime?: string;
  readonly progressDeadline?: string;
  readonly maxFailures?: number | string;
  readonly maxConcurrency?: number | string;
  readonly mandatoryDecisionGroups?: readonly GroupRef[];
}

const ALL: Strategy = {
  type: 'All',
  minSuccessMs: 0,
  progressDeadlineMs: undefined,
  maxFailures: { percent: 100 },
  maxConcurrency: undefined,
  mandatoryGroups: [],
};

/** Parses a strategy. Values that the schema would have refused count as absent, so that stored objects never stop a pass. */
export function readStrategy(spec: RolloutStrategySpec | undefined): Strategy {
  const type = spec?.type ?? 'All';
  if (type === 'All') {
    return { ...ALL, progressDeadlineMs: deadline(spec?.all?.progressDeadline) };
  }
  const options = (type === 'Progressive' ? spec?.progressive : spec?.progressivePerGroup) ?? {};
  return {
    type: type === 'Progressive' ? 'Progressive' : 'ProgressivePerGroup',
    minSuccessMs: (options.minSuccessTime && durationMs(options.minSuccessTime)) || 0,
    progressDeadlineMs: deadline(options.progressDeadline),
    maxFailures: readAmount(options.maxFailures) ?? { count: 0 },
    maxConcurrency: type === 'Progressive' ? readAmount(options.maxConcurrency) : undefined,
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

/** A percentage is rounded up; the result is at most the total. */
export function amountOf(amount: Amount, total: number): number {
  const wanted = 'count' in amount ? amount.count : Math.ceil((amount.percent * total) / 100);
  return Math.max(0, Math.min(wanted, total));
}

function deadline(text: string | undefined): number | undefined {
  return text === undefined || text === 'None' ? undefined : durationMs(text);
}
