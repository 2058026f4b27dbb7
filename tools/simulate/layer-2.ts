// One of several processes of the second layer (docs/simulation.md): runs every n-th seed and prints its findings as JSON.
import { availableParallelism } from 'node:os';
import { Coverage, generate } from '@outrigger/simulator';
import { runSystem } from '../../test/simulation/system/run.js';
import { type Options, parseOptions } from './options.js';
import type { Failure, Findings } from './report.js';
import { cpuTimer, seedsOf } from './seeds.js';

/** The number of user steps in a history of the second layer. */
const ACTIONS = 8;

async function work(options: Options, offset: number): Promise<Findings> {
  const coverage = new Coverage();
  const failures: Failure[] = [];
  const cpuMs = cpuTimer();
  let runs = 0;
  for (const seed of seedsOf(options, offset)) {
    const { history, phases, violations } = await runSystem(generate(seed, { actions: ACTIONS, registered: 0 }));
    runs++;
    coverage.addPhases(history, phases);
    const [first] = violations;
    if (first) failures.push({ seed, ...first, history: JSON.stringify(history), story: '' });
  }
  return { runs, passes: 0, repeated: 0, cpuMs: cpuMs(), coverage: coverage.toRecord(), failures };
}

const [offset, ...args] = process.argv.slice(2);
console.log(JSON.stringify(await work(parseOptions(args, availableParallelism()), Number(offset))));
