// One of several processes of the second layer (docs/simulation.md). With n processes, each runs every n-th seed and prints its findings as
// JSON.
import { availableParallelism } from 'node:os';
import { deepEqual } from '@outrigger/core';
import { Coverage } from '@outrigger/simulator';
import { runSystem, systemHistory } from '../../test/simulation/system/run.js';
import { type Options, parseOptions } from './options.js';
import { type Failure, type Findings, isRepeated } from './report.js';
import { cpuTimer, seedsOf } from './seeds.js';

async function work(options: Options, offset: number): Promise<Findings> {
  const coverage = new Coverage();
  const failures: Failure[] = [];
  const cpuMs = cpuTimer();
  let [runs, repeated] = [0, 0];
  for (const seed of seedsOf(options, offset)) {
    const { history, phases, violations, log } = await runSystem(systemHistory(seed));
    runs++;
    coverage.addPhases(history, phases);
    const found = [...violations];
    if (isRepeated(seed)) {
      repeated++;
      const again = await runSystem(history);
      if (!deepEqual(again.log, log)) found.push({ rule: 'repeatable', message: 'a second run has another log' });
    }
    const [first] = found;
    if (first) failures.push({ seed, ...first, history: JSON.stringify(history), story: '' });
  }
  return { runs, passes: 0, repeated, cpuMs: cpuMs(), coverage: coverage.toRecord(), failures };
}

const [offset, ...args] = process.argv.slice(2);
console.log(JSON.stringify(await work(parseOptions(args, availableParallelism()), Number(offset))));
