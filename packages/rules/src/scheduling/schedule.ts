import type { PlacementSpec } from '@outrigger/api';
import { earliest } from '@outrigger/core';
import type { Candidate, SheetLookup } from './candidate.js';
import type { ClusterExpressions } from './expressions.js';
import { type ClusterGroup, groupClusters } from './groups.js';
import { type Misconfiguration, MisconfiguredError } from './misconfigured.js';
import { compilePredicates } from './predicates.js';
import { type ExpiredScores, type Prioritizer, type ScoringFacts, expiredScores, prioritizersOf, totalScores } from './prioritizers.js';
import { ScoreSheets } from './score-sheets.js';
import { checkTolerations, toleranceOf } from './tolerations.js';

export interface ScheduleInput {
  readonly spec: PlacementSpec;
  /** Every cluster that the Placement may select. */
  readonly clusters: readonly Candidate[];
  /** The clusters that the Placement has already selected. */
  readonly selected: ReadonlySet<string>;
  readonly otherDecisions: () => ReadonlyMap<string, number>;
  readonly sheet: SheetLookup;
}

export type ClusterScore = readonly [cluster: string, score: number];

export interface Schedule {
  readonly groups: readonly ClusterGroup[];
  /** The number of selected clusters. */
  readonly count: number;
  /** The number of requested clusters that could not be selected. */
  readonly unscheduled: number;
  /** The scores of all matching clusters, for Events. They affect the selection only if more clusters match than are wanted. */
  readonly scoring: () => Scoring;
  /** The time at which the result may change even if no object changes. */
  readonly recheckAt: number | undefined;
}

export interface Scoring {
  /** The best first. */
  readonly scores: readonly ClusterScore[];
  /** The AddOnPlacementScores that have expired. */
  readonly expired: ExpiredScores | undefined;
}

/** Selects clusters for a Placement: filters, ranks, takes and groups them. The same input always gives the same result. */
export function schedule(
  input: ScheduleInput,
  expressions: ClusterExpressions,
  now: number,
): Schedule | { readonly misconfigured: Misconfiguration } {
  try {
    return choose(input, expressions, now);
  } catch (error) {
    if (error instanceof MisconfiguredError) return { misconfigured: error };
    throw error;
  }
}

function choose(
  { spec, clusters, selected, otherDecisions, sheet }: ScheduleInput,
  expressions: ClusterExpressions,
  now: number,
): Schedule {
  const sheets = new ScoreSheets(sheet, now);
  const { tolerations = [], numberOfClusters } = spec;
  const matches = compilePredicates(spec.predicates ?? [], expressions, sheets, clusters.length);
  checkTolerations(tolerations);
  const prioritizers = prioritizersOf(spec.prioritizerPolicy);

  let recheckAt: number | undefined;
  const feasible = clusters.filter((cluster) => {
    if (!matches(cluster)) return false;
    const { isTolerated, until } = toleranceOf(cluster, tolerations, selected.has(cluster.name), now);
    recheckAt = earliest(recheckAt, until);
    return isTolerated;
  });
  const wanted = Math.max(0, numberOfClusters ?? feasible.length);
  const facts = { selected, otherDecisions, sheets };
  const ranked = wanted < feasible.length ? rank(feasible, prioritizers, facts) : undefined;
  const chosen = ranked ? ranked.slice(0, wanted).map(({ cluster }) => cluster) : feasible;
  const nextScoreChange = sheets.nextChange;
  return {
    groups: groupClusters(chosen, spec.decisionStrategy?.groupStrategy),
    count: chosen.length,
    unscheduled: wanted - chosen.length,
    scoring: () => ({
      scores: (ranked ?? rank(feasible, prioritizers, facts)).map(({ cluster, score }) => [cluster.name, score] as const),
      expired: expiredScores(prioritizers, feasible, sheets),
    }),
    recheckAt: earliest(recheckAt, nextScoreChange),
  };
}

interface Ranked {
  readonly cluster: Candidate;
  readonly score: number;
}

/** Returns the clusters sorted by score, highest first, then by name. */
function rank(clusters: readonly Candidate[], prioritizers: readonly Prioritizer[], facts: ScoringFacts): readonly Ranked[] {
  const scores = totalScores(prioritizers, clusters, facts);
  const ranked = clusters.map((cluster, index): Ranked => ({ cluster, score: scores[index] ?? 0 }));
  return ranked.sort((a, b) => b.score - a.score || (a.cluster.name < b.cluster.name ? -1 : 1));
}
