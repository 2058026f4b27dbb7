// Prints the cost and the totals of a run: the slowest tests, the file that ended last and the fixed sleeps of each suite, then the sum of
// vitest's JSON reports as the last line. Fails if anything failed. The folder contains `<suite>.json` for each suite, and the measurements of its sleeps
// in `<suite>.sleeps/`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [failedSteps, folder] = process.argv.slice(2);
const readJson = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
const suites = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ name: file.slice(0, -'.json'.length), report: readJson(file) }));
const reports = suites.map(({ report }) => report);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

const SLOWEST = 20;
/**
 * How many seconds all tests of a suite may sleep in total. Exceeding this is not a failure, but a test should then wait for a condition
 * instead.
 */
const SLEEP_TARGETS = { test: 60, 'test:kube': 120 };

function slowest() {
  const tests = suites
    .flatMap(({ report }) => report.testResults)
    .flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, duration }) => ({ file: name, fullName, ms: duration ?? 0 })),
    )
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST);
  if (tests.length === 0) return [];
  const lines = tests.map(({ file, fullName, ms }) => `${seconds(ms).padStart(9)}  ${relative(process.cwd(), file)}  ${fullName}`);
  return [`slowest ${tests.length} tests:`, ...lines, ''];
}

/**
 * Reports how long the last file of a suite ran after all others. A file that runs alone leaves a core idle, so it should start earlier
 * (test/harness/file-order.ts).
 */
function tail({ name, report }) {
  const [last, other] = report.testResults.filter(({ endTime }) => endTime !== undefined).sort((a, b) => b.endTime - a.endTime);
  if (!other) return [];
  return [`last file of ${name}: ${relative(process.cwd(), last.name)}, alone for ${seconds(last.endTime - other.endTime)}`, ''];
}

function sleeps({ name }) {
  const measured = `${name}.sleeps`;
  if (!existsSync(join(folder, measured))) return [];
  const places = new Map();
  for (const file of readdirSync(join(folder, measured)))
    for (const [place, ms] of Object.entries(readJson(measured, file))) places.set(place, (places.get(place) ?? 0) + ms);
  const target = SLEEP_TARGETS[name];
  const total = sum([...places.values()]);
  const verdict = target === undefined ? '' : `, ${total > target * 1000 ? 'OVER' : 'within'} the target of ${target} s`;
  const lines = [...places].sort((a, b) => b[1] - a[1]).map(([place, ms]) => `${seconds(ms).padStart(9)}  ${place}`);
  return [`fixed sleeps of ${name}: ${seconds(total)}${verdict}`, ...lines, ''];
}

/** Returns the files that failed outside of any test, because an import or a hook threw. */
const brokenFiles = ({ testResults }) =>
  testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'))
    .length;

const passed = sum(reports.map((report) => report.numPassedTests));
const skipped = sum(reports.map((report) => report.numPendingTests + report.numTodoTests));
const failedTests = sum(reports.map((report) => report.numFailedTests + brokenFiles(report)));
// A step that failed without a failed test (lint, a server that did not start) counts as one failure.
const unexplained = Number(failedSteps) - reports.filter((report) => report.numFailedTests + brokenFiles(report) > 0).length;
const failed = failedTests + Math.max(0, unexplained);

const totals = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
process.stdout.write(`${[...slowest(), ...suites.flatMap((suite) => [...tail(suite), ...sleeps(suite)]), totals].join('\n')}\n`);
process.exitCode = failed > 0 ? 1 : 0;
