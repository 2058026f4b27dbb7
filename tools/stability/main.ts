import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../check/root.js';
import { type Options, parseOptions, suitesOf, USAGE } from './options.js';
import { failuresOf, type Run, type SuiteReport, summaryOf } from './report.js';

const VITEST = join(ROOT, 'node_modules', '.bin', 'vitest');

/** The running child processes. When this process exits, they are killed with all their own processes, such as the tests' API servers. */
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) killGroup(child);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

function startChild(command: string, args: readonly string[], stdio: 'ignore' | 'inherit'): ChildProcess {
  // Each command is started in its own process group, because killing only vitest would leave the servers that its tests started.
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', stdio, stdio], detached: true });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has exited meanwhile.
  }
}

/** Keeps every core busy until the returned function is called. */
function startHogs(): () => void {
  const hogs = Array.from({ length: availableParallelism() }, () => startChild(process.execPath, ['-e', 'for (;;);'], 'ignore'));
  return () => {
    for (const hog of hogs) killGroup(hog);
  };
}

/** Runs the tests once. `prefix` is a command that runs the test command, such as `taskset -c 0`. */
async function runOnce(how: string, paths: readonly string[], prefix: readonly string[] = []): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-stability-'));
  const reports: SuiteReport[] = [];
  let isFailed = false;
  try {
    for (const [index, suite] of suitesOf(paths).entries()) {
      const file = join(folder, `${index}.json`);
      const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
      const [command = '', ...args] = [...prefix, VITEST, 'run', '--config', suite.config, ...reporters, ...suite.paths];
      const [code] = (await once(startChild(command, args, 'inherit'), 'exit')) as [number | null];
      if (code !== 0) isFailed = true;
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text !== undefined) reports.push(JSON.parse(text) as SuiteReport);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { how, reports, isFailed };
}

async function runAll({ paths, runs, hasHogs, hasOneCore }: Options): Promise<readonly Run[]> {
  const done: Run[] = [];
  const stopHogs = hasHogs ? startHogs() : (): void => undefined;
  try {
    for (let i = 1; i <= runs; i++) {
      process.stdout.write(`\n── run ${i} of ${runs}${hasHogs ? ', every core busy' : ''}\n`);
      done.push(await runOnce(`run ${i}`, paths));
    }
  } finally {
    stopHogs();
  }
  if (hasOneCore) {
    process.stdout.write('\n── one core for everything\n');
    done.push(await runOnce('the run on one core', paths, ['taskset', '-c', '0']));
  }
  return done;
}

function optionsOf(args: readonly string[]): Options {
  try {
    return parseOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  }
}

const runs = await runAll(optionsOf(process.argv.slice(2)));
process.stdout.write(`\n${summaryOf(runs)}`);
process.exitCode = failuresOf(runs).length > 0 ? 1 : 0;
