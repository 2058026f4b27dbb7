// Runs simulated histories: one seed with a printed log, or many seeds on all cores. See docs/simulation.md.
import { availableParallelism } from 'node:os';
import { errorMessage } from '@outrigger/core';
import { Coverage, prepareWorld } from '@outrigger/simulator';
import { type Options, parseOptions, USAGE } from './options.js';
import { type Findings, MOST_FAILURES, digestOf, failureOf, runSeed } from './report.js';
import { runLayer1, runLayer2, runLayer3 } from './processes.js';

/** Replays one seed. Exits with 1 if it violates an invariant. */
async function replay(seed: number, shrinks: boolean): Promise<void> {
  const prepared = await prepareWorld();
  const examined = await runSeed(seed, prepared);
  const { story } = await failureOf(examined, prepared, shrinks && examined.violations.length > 0);
  console.log(story);
  console.log(`${examined.result.log.length} changes, ${examined.result.passes} passes, log ${digestOf(examined).slice(0, 16)}`);
  if (examined.violations.length > 0) process.exitCode = 1;
}

/** Prints the findings of all processes. */
function report(all: readonly Findings[]): void {
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

/** Runs the simulation that the arguments describe. If an argument is wrong, prints the usage without a stack trace. */
async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return console.log(USAGE);
  let options: Options;
  try {
    options = parseOptions(args, availableParallelism());
  } catch (error) {
    console.error(errorMessage(error));
    process.exitCode = 2;
    return;
  }
  if (options.layer === 2) return report(await runLayer2(args));
  if (options.layer === 3) return report(await runLayer3(args));
  if (options.seed !== undefined) return replay(options.seed, options.shrinks);
  report(await runLayer1(args));
}

await main(process.argv.slice(2));
