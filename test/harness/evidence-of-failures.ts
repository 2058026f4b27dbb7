import { beforeEach } from 'vitest';
import { collectEvidence, forgetEvidence } from './evidence.js';

forgetEvidence();

/**
 * vitest loads this set-up file once for each test file. If a test fails, the set-up file writes evidence to a folder and prints the
 * folder's path.
 */
beforeEach(({ task, onTestFailed }) => {
  onTestFailed(async () => {
    const names = [task.name];
    for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name);
    const name = names.filter((part) => part !== '').join(' > ');
    process.stderr.write(`\nlogs and objects of the failed test "${name}": ${await collectEvidence(name)}\n`);
  });
});
