/**
 * `npm run bench:fleet -- --clusters N --addons M --hub embedded|kube`: measures the cost of running a fleet, by scenario. API server,
 * manager and the swarm of agents are separate processes. `--scenarios install,edit,restart` runs only those, into a
 * file of their own. Prints a table; writes JSON and a page with plots to benchmarks/results.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../test/harness/process.js';
import { USAGE, fleetOptions } from './options.js';
import { page } from './page.js';
import type { FleetReport } from './report.js';
import { runFleet } from './run.js';

const FOLDER = fileURLToPath(new URL('../results/', import.meta.url));
const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const options = fleetOptions(args);
execFileSync(process.execPath, [fileURLToPath(new URL('../../tools/bundle.mjs', import.meta.url))], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const measured = await runFleet(options, await freePorts(2), (line) => process.stdout.write(`${line}\n`));
const chosen = options.named.length === 0 ? '' : ` --scenarios ${options.named.join(',')}`;
const report: FleetReport = {
  at: new Date().toISOString(),
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB`,
  command: `npm run bench:fleet -- --clusters ${options.clusters} --addons ${options.addOns} --hub ${options.hub}${chosen}`,
  clusters: options.clusters,
  addOns: options.addOns,
  hub: options.hub,
  delayMs: options.delayMs,
  connections: options.connections,
  ...measured,
};
mkdirSync(FOLDER, { recursive: true });
const name = [`fleet-${options.hub}-${options.clusters}x${options.addOns}`, ...options.named].join('-');
writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
const all = readdirSync(FOLDER)
  .filter((file) => /^fleet-.*\.json$/.test(file))
  .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as FleetReport)
  .sort((a, b) => a.hub.localeCompare(b.hub) || a.clusters * a.addOns - b.clusters * b.addOns);
writeFileSync(join(FOLDER, 'fleet.html'), page(all));
process.exit(0);
