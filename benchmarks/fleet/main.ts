/**
 * `npm run bench:fleet -- --clusters N --addons M --hub embedded|kube`: measures the cost of running a fleet, by scenario. API server,
 * manager and agents are separate processes. `--scenarios install,edit,restart` runs only these scenarios and stores their results in a
 * separate file. Prints a table; writes JSON after each scenario, and a page with plots at the end, to benchmarks/results.
 */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePorts } from '../../test/harness/process.js';
import { updateDocuments } from './documents.js';
import { growthBetween } from './growth.js';
import { USAGE, commandOf, fleetOptions, resultName } from './options.js';
import { page } from './page.js';
import type { FleetReport } from './report.js';
import { committedReports, sourceCommit, storeResult, storedReports } from './results.js';
import { type Measurements, runFleet } from './run.js';

const args = process.argv.slice(2);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
// Exit on these signals, because an exit ends the measured processes and removes the store, and the default action of a signal does
// neither. The results of the scenarios that have run are already stored.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code));
try {
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function main(): Promise<number> {
  if (args.includes('--help')) print(USAGE);
  else if (args.includes('--page')) {
    storeResult('fleet.html', page(committedReports()));
    updateDocuments();
  } else if (args.some((arg) => arg.startsWith('--growth'))) return growth();
  else return run();
  return 0;
}

async function run(): Promise<number> {
  const options = fleetOptions(args);
  execFileSync(process.execPath, [fileURLToPath(new URL('../../tools/bundle.mjs', import.meta.url))], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { clusters, addOns, hub, agents, controllers, tls, delayMs } = options;
  const commit = sourceCommit();
  const connections = agents === 'real' ? clusters : options.connections;
  print(`${commandOf(options)} (${connections} connections of agents)`);
  const store = (measured: Measurements): void => {
    const report: FleetReport = {
      at: new Date().toISOString(),
      node: process.version,
      machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB`,
      ...(commit === undefined ? {} : { commit }),
      command: commandOf(options),
      clusters,
      addOns,
      hub,
      agents,
      controllers,
      tls,
      delayMs,
      connections,
      ...measured,
    };
    storeResult(`${resultName(options)}.json`, `${JSON.stringify(report, null, 2)}\n`);
  };
  const problems = await runFleet(options, await freePorts(2), { say: print, store });
  storeResult('fleet.html', page(storedReports()));
  for (const problem of problems) print(`PROBLEM: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

function growth(): number {
  const { values } = parseArgs({
    args,
    options: {
      growth: { type: 'string', default: '' },
      addons: { type: 'string', default: '2' },
      hub: { type: 'string', default: 'embedded' },
    },
  });
  const [small = Number.NaN, large = Number.NaN] = values.growth.split(',').map(Number);
  const { lines, isWithin } = growthBetween(storedReports(), { small, large, addOns: Number(values.addons), hub: values.hub });
  for (const line of lines) print(line);
  return isWithin ? 0 : 1;
}
