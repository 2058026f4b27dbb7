// One of several processes of the first layer. With n processes, each runs every n-th seed and prints its findings as JSON. main.ts bundles
// and starts this program.
import { availableParallelism } from 'node:os';
import { Coverage, prepareWorld } from '@outrigger/simulator';
import { type Options, parseOptions } from './options.js';
import { type Failure, type Findings, MOST_FAILURES, failureOf, isRepeated, runSeed } from './report.js';
import { cpuTimer, seedsOf } from './seeds.js';

async function work(options: Options, offset: number): Promise<Findings> {
  const prepared = await prepareWorld();
  const coverage = new Coverage();
  const failures: Failure[] = [];
  const cpuMs = cpuTimer();
  let [runs, passes, repeated] = [0, 0, 0];
  for (const seed of seedsOf(options, offset)) {
    const examined = await runSeed(seed, prepared);
    runs++;
    passes += examined.result.passes;
    if (isRepeated(seed)) repeated++;
    coverage.add(examined.result);
    const [first] = examined.violations;
    if (!first) continue;
    const isShown = failures.length < MOST_FAILURES;
    failures.push(isShown ? await failureOf(examined, prepared, options.shrinks) : { seed, ...first, history: '', story: '' });
  }
  return { runs, passes, repeated, cpuMs: cpuMs(), coverage: coverage.toRecord(), failures };
}

const [offset, ...args] = process.argv.slice(2);
console.log(JSON.stringify(await work(parseOptions(args, availableParallelism()), Number(offset))));
