import type { CostPool } from '../cost.js';
import { Budget } from './budget.js';
import { Compiler } from './compiler.js';
import { CelEvaluationError } from './errors.js';
import { type CelFunction, FunctionTable } from './functions.js';
import { KUBERNETES_LIBRARY } from './library/index.js';
import { parseSyntax } from './syntax.js';
import type { CelType } from './types.js';
import type { CelValue } from './values.js';

export interface ProgramOptions {
  /** The variables that an expression may use, with their static types. */
  readonly variables: Readonly<Record<string, CelType>>;
  /** The functions that an expression may call in addition to Kubernetes' libraries. */
  readonly functions?: readonly CelFunction[];
  /** Whether a list or map literal may contain values of different types. The API server does not allow this in rules. Defaults to true. */
  readonly isMixingAllowed?: boolean;
}

/** The cost limits of a run. */
export interface Cost {
  readonly pool: CostPool;
  /** The cost limit. Defaults to the API server's limit per expression. */
  readonly limit?: number | undefined;
}

export interface Program {
  readonly type: CelType;
  /**
   * Runs the program with the given values of its variables. `read` converts the result for the caller. The conversion is charged to the
   * same budget, because a result that is small in memory may be large when written out. Throws only CelEvaluationError or CelBudgetError.
   */
  run<T>(values: Readonly<Record<string, CelValue>>, cost: Cost, read: (value: CelValue, budget: Budget) => T): T;
}

const libraryTable = new FunctionTable(KUBERNETES_LIBRARY);

/** Parses, checks and compiles an expression. Throws CelCompileError. The result may be run any number of times. */
export function compileProgram(source: string, { variables, functions = [], isMixingAllowed = true }: ProgramOptions): Program {
  const table = functions.length === 0 ? libraryTable : new FunctionTable([...KUBERNETES_LIBRARY, ...functions]);
  const names = Object.keys(variables);
  const slots = new Map(names.map((name, slot) => [name, { slot, type: variables[name] as CelType }]));
  const compiler = new Compiler(source, table, slots, isMixingAllowed);
  const { type, evaluate } = compiler.compile(parseSyntax(source));
  const { slotCount, patterns } = compiler;
  return {
    type,
    run: (values, { pool, limit }, read) => {
      const budget = new Budget(pool, limit, patterns);
      const frame = { slots: Array.from<CelValue>({ length: slotCount }), budget };
      names.forEach((name, slot) => {
        const value = values[name];
        if (value === undefined) throw new CelEvaluationError(`no value was given for variable '${name}'`);
        frame.slots[slot] = value;
      });
      return guard(() => read(evaluate(frame), budget));
    },
  };
}

/** Reports limits of the JavaScript engine (a string of half a gigabyte, a stack overflow) as failures of the expression. */
function guard<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof RangeError)
      throw new CelEvaluationError(`the expression needs too much memory or depth: ${error.message}`, { cause: error });
    throw error;
  }
}
