/**
 * Runs every file of benchmarks/ (or those whose names contain an argument) in a separate process, prints the measurements, and stores them
 * in benchmarks/results/. Fails if a benchmark fails or a budget is exceeded.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOverBudget, measurementsIn, table, type Measurement } from './measurements.js';

const FOLDER = fileURLToPath(new URL('../../benchmarks/', import.meta.url));

const wanted = process.argv.slice(2);
const files = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts') && (wanted.length === 0 || wanted.some((part) => file.includes(part))))
  .sort();
if (files.length === 0) process.stdout.write('no benchmarks to run\n');

const measurements: Measurement[] = [];
let failed = false;
for (const file of files) {
  process.stderr.write(`running ${file}\n`);
  const args = ['--conditions=source', '--expose-gc', '--import', 'tsx', join(FOLDER, file)];
  const result = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 });
  if (result.status !== 0) {
    process.stderr.write(`${file} failed (${result.signal ?? result.status ?? result.error?.message})\n`);
    failed = true;
  }
  measurements.push(...measurementsIn(result.stdout).map((measurement) => ({ ...measurement, file })));
}

process.stdout.write(table(measurements));
if (measurements.length > 0) {
  const results = join(FOLDER, 'results');
  mkdirSync(results, { recursive: true });
  const now = new Date().toISOString();
  writeFileSync(
    join(results, `${now.slice(0, 19).replaceAll(':', '-')}.json`),
    `${JSON.stringify({ at: now, node: process.version, measurements }, null, 2)}\n`,
  );
}
process.exitCode = failed || measurements.some(isOverBudget) ? 1 : 0;
