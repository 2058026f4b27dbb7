import type { ClaimSelector, PlacementPredicate } from '@outrigger/api';
import { CostPool, type LabelSelector, type Selector, compileLabelSelector } from '@outrigger/core';
import type { Candidate } from './candidate.js';
import type { ClusterExpressions } from './expressions.js';
import { asMisconfigured } from './misconfigured.js';
import type { ScoreSheets } from './score-sheets.js';

const PLUGIN = 'Predicate';

/**
 * The maximum total CEL cost of one Placement's expressions in one pass over all clusters is BASE_COST plus COST_PER_CLUSTER for each
 * cluster.
 */
const BASE_COST = 250_000;
const COST_PER_CLUSTER = 500;

export type Matcher = (cluster: Candidate) => boolean;

/** Compiles predicates. A cluster matches if all parts of at least one predicate match; without predicates every cluster matches. */
export function compilePredicates(
  predicates: readonly PlacementPredicate[],
  expressions: ClusterExpressions,
  sheets: ScoreSheets,
  clusterCount: number,
): Matcher {
  if (predicates.length === 0) return () => true;
  const pool = new CostPool(BASE_COST + COST_PER_CLUSTER * clusterCount);
  const matchers = predicates.map(({ requiredClusterSelector = {} }): Matcher => {
    const { labelSelector, claimSelector, celSelector } = requiredClusterSelector;
    const matches = asMisconfigured(PLUGIN, () => compileSelectors(labelSelector, claimSelector));
    const sources = celSelector?.celExpressions ?? [];
    for (const source of sources) asMisconfigured(PLUGIN, () => expressions.check(source));
    return (cluster) => matches(cluster) && sources.every((source) => expressions.isTrue(source, cluster, sheets, pool));
  });
  return (cluster) => matchers.some((matches) => matches(cluster));
}

/**
 * Compiles a label selector and a claim selector. Both must match; an absent selector matches everything. Throws if a selector is
 * malformed.
 */
export function compileSelectors(labelSelector: LabelSelector | undefined, claimSelector: ClaimSelector | undefined): Matcher {
  const labels = compiled(labelSelector ?? {});
  const claims = compiled({ matchExpressions: claimSelector?.matchExpressions ?? [] });
  return (cluster) => labels.matches(cluster.labels) && claims.matches(cluster.claims);
}

const selectors = new WeakMap<LabelSelector, Selector>();

/** Compiles each selector object once. Equal selectors in the cache are the same object. */
function compiled(selector: LabelSelector): Selector {
  const known = selectors.get(selector) ?? compileLabelSelector(selector);
  selectors.set(selector, known);
  return known;
}
