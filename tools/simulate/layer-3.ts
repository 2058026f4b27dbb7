// One of several processes of the third layer. With n processes, each runs every n-th seed on its own API server and prints its findings as
// JSON.
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
// Exit on a signal. The servers end when this process exits, but not when a signal kills it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
// Each process gets a range of ports of its own for its servers, as each worker of the test runner does.
process.env['VITEST_POOL_ID'] = String(Number(process.env['VITEST_POOL_ID'] ?? 0) + Number(offset));
console.log(JSON.stringify(await work(parseOptions(args, availableParallelism()), Number(offset))));
