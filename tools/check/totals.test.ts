import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './root.js';

interface Counts {
  readonly passed: number;
  readonly failed?: number;
  readonly skipped?: number;
  /** The number of files that failed without a failed test. */
  readonly broken?: number;
}

/** Returns a vitest report with only the fields that the totals use. */
function report({ passed, failed = 0, skipped = 0, broken = 0 }: Counts): object {
  return {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    testResults: [
      ...Array.from({ length: broken }, () => ({ status: 'failed', assertionResults: [] })),
      { status: failed > 0 ? 'failed' : 'passed', assertionResults: [{ status: failed > 0 ? 'failed' : 'passed' }] },
    ],
  };
}

describe('totals of a run', () => {
  it.each([
    { name: 'two clean suites', failedSteps: 0, reports: [{ passed: 3 }, { passed: 4 }], line: '7 passed, 0 failed', code: 0 },
    { name: 'a failed test', failedSteps: 1, reports: [{ passed: 3, failed: 1 }], line: '3 passed, 1 failed', code: 1 },
    { name: 'skipped tests', failedSteps: 0, reports: [{ passed: 3, skipped: 2 }], line: '3 passed, 0 failed, 2 skipped', code: 0 },
    { name: 'a file that could not be loaded', failedSteps: 1, reports: [{ passed: 3, broken: 1 }], line: '3 passed, 1 failed', code: 1 },
    { name: 'a failed check beside a clean suite', failedSteps: 1, reports: [{ passed: 3 }], line: '3 passed, 1 failed', code: 1 },
    { name: 'a suite that never reported', failedSteps: 2, reports: [{ passed: 3, failed: 2 }], line: '3 passed, 3 failed', code: 1 },
    { name: 'nothing at all', failedSteps: 2, reports: [], line: '0 passed, 2 failed', code: 1 },
  ])('count $name', ({ failedSteps, reports, line, code }) => {
    const folder = mkdtempSync(join(tmpdir(), 'outrigger-totals-'));
    reports.forEach((counts, i) => writeFileSync(join(folder, `${i}.json`), JSON.stringify(report(counts))));
    const result = spawnSync(process.execPath, ['tools/check/totals.mjs', String(failedSteps), folder], { cwd: ROOT, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([result.stdout, result.status]).toEqual([`${line}\n`, code]);
  });

  it('come after the slowest tests, the last file and the fixed sleeps of each suite', () => {
    const folder = mkdtempSync(join(tmpdir(), 'outrigger-totals-'));
    const durations = Array.from({ length: 25 }, (_, i) => ({ fullName: `test ${i}`, status: 'passed', duration: (i + 1) * 1000 }));
    const testResults = ['b', 'a'].map((name, i) => ({
      name: join(ROOT, `test/${name}.test.ts`),
      status: 'passed',
      assertionResults: i === 1 ? durations : [],
      endTime: 100_000 + i * 2_500,
    }));
    writeFileSync(join(folder, 'test.json'), JSON.stringify({ ...report({ passed: 25 }), testResults }));
    for (const [thread, slept] of [{ 'test/a.test.ts': 1500, 'test/b.ts': 50_000 }, { 'test/a.test.ts': 9_500 }].entries()) {
      mkdirSync(join(folder, 'test.sleeps'), { recursive: true });
      writeFileSync(join(folder, 'test.sleeps', `${thread}.json`), JSON.stringify(slept));
    }
    const { stdout } = spawnSync(process.execPath, ['tools/check/totals.mjs', '0', folder], { cwd: ROOT, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['slowest 20 tests:', '   25.0 s  test/a.test.ts  test 24']);
    expect(lines.slice(20)).toEqual([
      '    6.0 s  test/a.test.ts  test 5',
      '',
      'last file of test: test/a.test.ts, alone for 2.5 s',
      '',
      'fixed sleeps of test: 61.0 s, OVER the target of 60 s',
      '   50.0 s  test/b.ts',
      '   11.0 s  test/a.test.ts',
      '',
      '25 passed, 0 failed',
    ]);
  });
});
