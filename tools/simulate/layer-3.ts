// One of several processes of the third layer: runs every n-th seed on its own API server and prints its findings as JSON.
import { availableParallelism } from 'node:os';
import { Coverage } from '@outrigger/simulator';
import { historyOf } from '../../test/simulation/processes/histories.js';
import { HubServer } from '../../test/simulation/processes/hub-server.js';
import { runProcesses } from '../../test/simulation/processes/run.js';
import { type Options, parseOptions } from './options.js';
import type { Failure, Findings } from './report.js';
import { cpuTimer, seedsOf } from './seeds.js';

async function work(options: Options, offset: number): Promise<Findings> {
  const server = await HubServer.start();
  const coverage = new Coverage();
  const failures: Failure[] = [];
  const cpuMs = cpuTimer();
  let runs = 0;
  try {
    for (const seed of seedsOf(options, offset)) {
      const startedAt = performance.now();
      const { history, phases, violations, story } = await runProcesses(historyOf(seed), server);
      runs++;
      coverage.addPhases(history, phases);
      const [first] = violations;
      const result = first ? `breaks "${first.rule}": ${first.message}` : 'holds';
      process.stderr.write(
        `seed ${seed}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${history.steps.length} steps, ${result}\n`,
      );
      if (first) failures.push({ seed, ...first, history: JSON.stringify(history), story });
    }
  } finally {
    await server.stop();
  }
  return { runs, passes: 0, repeated: 0, cpuMs: cpuMs(), coverage: coverage.toRecord(), failures };
}

const [offset, ...args] = process.argv.slice(2);
// The servers end with this process, but not if a signal ends it directly.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
// Each process chooses the ports of its servers from a range of its own, as the workers of the test runner do.
process.env['VITEST_POOL_ID'] = String(Number(process.env['VITEST_POOL_ID'] ?? 0) + Number(offset));
console.log(JSON.stringify(await work(parseOptions(args, availableParallelism()), Number(offset))));
