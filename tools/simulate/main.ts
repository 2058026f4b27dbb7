// Runs simulated histories: one seed with a printed log, or many seeds on all cores. See docs/simulation.md.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Coverage, generate, prepareWorld } from '@outrigger/simulator';
import { runSystem } from '../../test/simulation/system/run.js';
import { type Options, parseOptions } from './options.js';
import { type Failure, type Findings, digestOf, failureOf, runSeed } from './report.js';

const MOST_FAILURES = 5;

/** Replays one seed. Exits with 1 if it violates an invariant. */
async function replay(seed: number, shrinks: boolean): Promise<void> {
  const prepared = await prepareWorld();
  const examined = await runSeed(seed, prepared);
  const { story } = await failureOf(examined, prepared, shrinks && examined.violations.length > 0);
  console.log(story);
  console.log(`${examined.result.log.length} changes, ${examined.result.passes} passes, log ${digestOf(examined).slice(0, 16)}`);
  if (examined.violations.length > 0) process.exitCode = 1;
}

/** The number of user steps in a history of the second layer. */
const SYSTEM_ACTIONS = 8;

/** Runs the second layer in one of several processes. */
async function workOnSystems({ from, count, minutes, processes }: Options, offset: number): Promise<Findings> {
  const failures: Failure[] = [];
  const startedAt = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  const hasTime = (): boolean => minutes === undefined || Number(process.hrtime.bigint() - startedAt) / 6e10 < minutes;
  let runs = 0;
  for (let seed = from + offset; (minutes !== undefined || seed < from + count) && hasTime(); seed += processes) {
    const { history, violations } = await runSystem(generate(seed, { actions: SYSTEM_ACTIONS }));
    runs++;
    const [first] = violations;
    if (first) failures.push({ seed, ...first, history: JSON.stringify(history), story: '' });
  }
  const { user, system } = process.cpuUsage(cpu);
  return { runs, passes: 0, repeated: 0, cpuMs: (user + system) / 1000, coverage: {}, failures };
}

/** Runs every `processes`-th seed in one of several processes, and prints the findings as JSON. */
async function work({ from, count, minutes, processes, shrinks }: Options, offset: number): Promise<Findings> {
  const prepared = await prepareWorld();
  const coverage = new Coverage();
  const failures: Failure[] = [];
  const startedAt = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  const hasTime = (): boolean => minutes === undefined || Number(process.hrtime.bigint() - startedAt) / 6e10 < minutes;
  let [runs, passes, repeated] = [0, 0, 0];
  for (let seed = from + offset; (minutes !== undefined || seed < from + count) && hasTime(); seed += processes) {
    const examined = await runSeed(seed, prepared);
    runs++;
    passes += examined.result.passes;
    if (seed % 100 === 0) repeated++;
    coverage.add(examined.result);
    if (examined.violations.length > 0 && failures.length < MOST_FAILURES) failures.push(await failureOf(examined, prepared, shrinks));
    else if (examined.violations.length > 0)
      failures.push({ seed, rule: examined.violations[0]?.rule ?? '', message: '', history: '', story: '' });
  }
  const { user, system } = process.cpuUsage(cpu);
  return { runs, passes, repeated, cpuMs: (user + system) / 1000, coverage: coverage.toRecord(), failures };
}

/** Starts this program once per process and combines the findings. */
async function spread(options: Options, args: readonly string[]): Promise<void> {
  const all = await Promise.all(Array.from({ length: options.processes }, (_, offset) => child(args, offset)));
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
  console.log(`${((runs / cpuMs) * 1000).toFixed(1)} schedules per CPU second (the model's time included)`);
  console.log(`${coverage.size} combinations of action × fault × phase`);
  if (failures.length > 0) process.exitCode = 1;
}

async function child(args: readonly string[], offset: number): Promise<Findings> {
  const command = ['--conditions=source', '--import', 'tsx', fileURLToPath(import.meta.url), ...args];
  const started = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SIMULATE_OFFSET: String(offset) },
  });
  let output = '';
  started.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => started.on('close', resolve));
  if (code !== 0) throw new Error(`a process of the simulation ended with ${String(code)}`);
  return JSON.parse(output) as Findings;
}

const args = process.argv.slice(2);
const parsed = parseOptions(args, availableParallelism());
// The second layer replays a seed by running it alone.
const isOneSystem = parsed.layer === 2 && parsed.seed !== undefined;
const options = isOneSystem ? { ...parsed, from: parsed.seed ?? 0, count: 1, processes: 1 } : parsed;
const offset = process.env['SIMULATE_OFFSET'];
if (options.seed !== undefined && options.layer === 1) await replay(options.seed, options.shrinks);
else if (offset === undefined) await spread(options, args);
else console.log(JSON.stringify(await (options.layer === 2 ? workOnSystems : work)(options, Number(offset))));
