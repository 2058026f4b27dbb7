import { EXPRESSION_FUNCTIONS } from '@outrigger/api';
import { CelBudgetError, CelEvaluationError, type Expression, compileExpression } from '@outrigger/core/cel';
import { type CostPool, isJsonObject, type JsonObject, memoizeText } from '@outrigger/core';
import type { Candidate } from './candidate.js';
import { MisconfiguredError } from './misconfigured.js';
import type { ScoreSheets } from './score-sheets.js';

/** Maximum number of cached results for one state of a cluster. */
const MAX_VERDICTS = 100;
/** The maximum CEL cost of one expression for one cluster. A typical selector has a cost below 100. */
const COST_LIMIT = 10_000;

interface Verdict {
  readonly isTrue: boolean;
  readonly cost: number;
}

/**
 * Expressions about `managedCluster`, each compiled once per source. `managedCluster.scores(<resource>)` returns the scores that the
 * AddOnPlacementScore `<resource>` contains for the cluster, as a list of `{name, value}`. The result for an unchanged cluster is cached
 * with its cost, so passes over a settled fleet evaluate nothing and still compute the same total cost.
 */
export class ClusterExpressions {
  readonly #program = memoizeText((source) => this.#compile(source));
  readonly #verdicts = new WeakMap<JsonObject, Map<string, Verdict>>();
  #sheets: ScoreSheets | undefined;

  /** Throws if the expression does not compile or is not boolean. */
  check(source: string): void {
    this.#program(source);
  }

  /**
   * Whether the expression is true for a cluster. If it fails for the cluster, or costs more than its limit, the cluster is not selected;
   * other clusters are not affected. Throws MisconfiguredError when the expressions of the Placement exceed their total cost for this pass.
   */
  isTrue(source: string, cluster: Candidate, sheets: ScoreSheets, pool: CostPool): boolean {
    const known = this.#verdicts.get(cluster.facts)?.get(source);
    if (known !== undefined) {
      if (!pool.take(known.cost)) throw tooCostly(pool);
      return known.isTrue;
    }
    const before = pool.used;
    const isTrue = this.#evaluate(source, cluster, sheets, pool);
    // Do not cache results that use scores, because scores change independently of the cluster.
    if (!source.includes('scores')) this.#remember(source, cluster.facts, { isTrue, cost: pool.used - before });
    return isTrue;
  }

  #evaluate(source: string, cluster: Candidate, sheets: ScoreSheets, pool: CostPool): boolean {
    const program = this.#program(source);
    this.#sheets = sheets;
    try {
      return program.evaluate({ managedCluster: cluster.facts }, pool) === true;
    } catch (error) {
      if (pool.isExhausted) throw tooCostly(pool);
      if (error instanceof CelEvaluationError || error instanceof CelBudgetError) return false;
      throw error;
    } finally {
      this.#sheets = undefined;
    }
  }

  #remember(source: string, facts: JsonObject, verdict: Verdict): void {
    const verdicts = this.#verdicts.get(facts) ?? new Map<string, Verdict>();
    if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
    this.#verdicts.set(facts, verdicts.set(source, verdict));
  }

  #compile(source: string): Expression {
    return compileExpression(source, {
      variables: { managedCluster: 'dyn' },
      functions: [
        ...EXPRESSION_FUNCTIONS,
        {
          name: 'scores',
          isMember: true,
          params: ['dyn', 'string'],
          result: 'list',
          call: (cluster, resource) => this.#scores(cluster, String(resource)),
        },
      ],
      result: 'bool',
      costLimit: COST_LIMIT,
    });
  }

  #scores(cluster: unknown, resource: string): readonly unknown[] {
    const metadata = isJsonObject(cluster) ? cluster['metadata'] : undefined;
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    return typeof name === 'string' ? (this.#sheets?.find(name, resource)?.scores ?? []) : [];
  }
}

function tooCostly({ limit }: CostPool): MisconfiguredError {
  return new MisconfiguredError(
    'Predicate',
    `the CEL expressions cost more than ${limit} over all clusters: use shorter patterns and fewer loops, or select by labels first`,
  );
}
