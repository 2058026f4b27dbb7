// Prints the sum of vitest's JSON reports in a folder as one line; fails if anything failed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [failedSteps, folder] = process.argv.slice(2);
const reports = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
const sum = (count) => reports.map(count).reduce((a, b) => a + b, 0);

/** Files that failed outside of any test: an import or a hook that threw. */
const brokenFiles = ({ testResults }) =>
  testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'))
    .length;

const passed = sum((report) => report.numPassedTests);
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);
const failedTests = sum((report) => report.numFailedTests + brokenFiles(report));
// A step that failed without a failed test (lint, a server that did not start) is a failure of its own.
const unexplained = Number(failedSteps) - reports.filter((report) => report.numFailedTests + brokenFiles(report) > 0).length;
const failed = failedTests + Math.max(0, unexplained);

process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = failed > 0 ? 1 : 0;
