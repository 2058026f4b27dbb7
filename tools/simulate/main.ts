// Runs simulated histories: one seed with a printed log, or many seeds on all cores. See docs/simulation.md.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Coverage, prepareWorld } from '@outrigger/simulator';
import { NODE_FLAGS, bundle } from './bundle.js';
import { type Options, parseOptions } from './options.js';
import { type Findings, MOST_FAILURES, digestOf, failureOf, runSeed } from './report.js';

/** Replays one seed. Exits with 1 if it violates an invariant. */
async function replay(seed: number, shrinks: boolean): Promise<void> {
  const prepared = await prepareWorld();
  const examined = await runSeed(seed, prepared);
  const { story } = await failureOf(examined, prepared, shrinks && examined.violations.length > 0);
  console.log(story);
  console.log(`${examined.result.log.length} changes, ${examined.result.passes} passes, log ${digestOf(examined).slice(0, 16)}`);
  if (examined.violations.length > 0) process.exitCode = 1;
}

/** Starts one process per core and joins their findings. */
async function spread(options: Options, args: readonly string[], command: readonly string[]): Promise<void> {
  const all = await Promise.all(Array.from({ length: options.processes }, (_, offset) => child([...command, String(offset), ...args])));
  const coverage = new Coverage();
  for (const findings of all) coverage.merge(findings.coverage);
  const total = (of: (findings: Findings) => number): number => all.reduce((sum, findings) => sum + of(findings), 0);
  const failures = all.flatMap((findings) => findings.failures);
  for (const { seed, rule, message, story, history } of failures.slice(0, MOST_FAILURES)) {
    console.log(`\nseed ${seed} breaks "${rule}": ${message}\n${story}\n${history}`);
  }
  for (const { seed, rule } of failures.slice(MOST_FAILURES)) console.log(`seed ${seed} breaks "${rule}"`);
  const [runs, cpuMs] = [total((findings) => findings.runs), total((findings) => findings.cpuMs)];
  console.log(`\n${runs} schedules, ${failures.length} failed; ${total((findings) => findings.passes)} passes of controllers`);
  console.log(`${total((findings) => findings.repeated)} schedules were run twice`);
  console.log(`${(cpuMs / 1000).toFixed(0)} s of processor time: ${((runs / cpuMs) * 1000).toFixed(1)} schedules per second of it`);
  console.log(`${coverage.size} combinations of action × fault × phase`);
  if (failures.length > 0) process.exitCode = 1;
}

async function child(command: readonly string[]): Promise<Findings> {
  const started = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  started.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => started.on('close', resolve));
  if (code !== 0) throw new Error(`a process of the simulation ended with ${String(code)}`);
  return JSON.parse(output) as Findings;
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

async function spreadBundled(options: Options, args: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-simulate-'));
  try {
    const program = join(folder, 'layer-1.mjs');
    await bundle(pathOf('./layer-1.ts'), program);
    await spread(options, args, [...NODE_FLAGS, program]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
const options = parseOptions(args, availableParallelism());
if (options.layer === 2) {
  const command = ['--conditions=source', '--import', 'tsx', pathOf('./layer-2.ts')];
  await spread(options, args, command);
} else if (options.seed !== undefined) await replay(options.seed, options.shrinks);
else await spreadBundled(options, args);
