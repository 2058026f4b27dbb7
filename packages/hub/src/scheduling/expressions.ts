import { CelBudgetError, CelEvaluationError, type Expression, compileExpression } from '@outrigger/core/cel';
import { isJsonObject } from '@outrigger/core';
import type { Candidate } from './candidate.js';
import type { ScoreSheets } from './score-sheets.js';

/** Programs of expressions nobody uses any more are let go of when so many are there. */
const MAX_PROGRAMS = 1000;

/**
 * Expressions about `managedCluster`, compiled once per source. `managedCluster.scores(<resource>)` gives what an add-on says about the
 * cluster, as a list of `{name, value}`.
 */
export class ClusterExpressions {
  readonly #programs = new Map<string, Expression>();
  #sheets: ScoreSheets | undefined;

  /** Throws where the expression cannot be understood or gives no truth value. */
  check(source: string): void {
    this.#program(source);
  }

  /** What fails while it runs is as good as false: the cluster is not chosen, the others are unaffected. */
  isTrue(source: string, cluster: Candidate, sheets: ScoreSheets): boolean {
    const program = this.#program(source);
    this.#sheets = sheets;
    try {
      return program.evaluate({ managedCluster: cluster.facts }) === true;
    } catch (error) {
      if (error instanceof CelEvaluationError || error instanceof CelBudgetError) return false;
      throw error;
    } finally {
      this.#sheets = undefined;
    }
  }

  #program(source: string): Expression {
    const known = this.#programs.get(source);
    if (known) return known;
    const program = compileExpression(source, {
      variables: { managedCluster: 'dyn' },
      functions: [
        {
          name: 'scores',
          isMember: true,
          params: ['dyn', 'string'],
          result: 'list',
          call: (cluster, resource) => this.#scores(cluster, String(resource)),
        },
      ],
      result: 'bool',
    });
    if (this.#programs.size >= MAX_PROGRAMS) this.#programs.clear();
    this.#programs.set(source, program);
    return program;
  }

  #scores(cluster: unknown, resource: string): readonly unknown[] {
    const metadata = isJsonObject(cluster) ? cluster['metadata'] : undefined;
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    return typeof name === 'string' ? (this.#sheets?.find(name, resource)?.scores ?? []) : [];
  }
}
