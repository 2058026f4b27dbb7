import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../check/root.js';
import { parseOptions, suitesOf } from './options.js';
import { failuresOf, type Run, type SuiteReport } from './report.js';

const report = (statuses: Readonly<Record<string, string>>, status = 'passed'): SuiteReport => ({
  testResults: [
    {
      name: 'a.test.ts',
      status: Object.values(statuses).includes('failed') ? 'failed' : status,
      assertionResults: Object.entries(statuses).map(([fullName, of]) => ({
        fullName,
        status: of,
        failureMessages: [`${fullName} broke`],
      })),
    },
  ],
});
const run = (how: string, ...reports: readonly SuiteReport[]): Run => ({ how, reports, isFailed: false });

describe('the failures of several runs', () => {
  it('are counted for each test, the most frequent first', () => {
    const runs = [
      run('run 1', report({ steady: 'passed', rare: 'passed', often: 'failed' })),
      run('run 2', report({ steady: 'passed', rare: 'failed', often: 'failed' })),
    ];
    expect(failuresOf(runs)).toEqual([
      { name: 'a.test.ts › often', runs: ['run 1', 'run 2'], firstMessage: 'often broke' },
      { name: 'a.test.ts › rare', runs: ['run 2'], firstMessage: 'rare broke' },
    ]);
  });

  it('contain a file that failed outside of its tests', () => {
    expect(failuresOf([run('run 1', report({ fine: 'passed' }, 'failed'))])).toMatchObject([{ name: 'a.test.ts' }]);
  });

  it('contain a run that ended without a report', () => {
    expect(failuresOf([{ how: 'run 1', reports: [], isFailed: true }])).toMatchObject([{ runs: ['run 1'] }]);
  });
});

describe('the options', () => {
  it.each([
    { args: ['a'], want: { paths: ['a'], runs: 20, hasHogs: true, hasOneCore: true } },
    { args: ['a', '--runs', '3', 'b'], want: { paths: ['a', 'b'], runs: 3, hasHogs: true, hasOneCore: true } },
    { args: ['a', '--no-hog', '--no-one-core'], want: { paths: ['a'], runs: 20, hasHogs: false, hasOneCore: false } },
  ])('$args', ({ args, want }) => expect(parseOptions(args)).toEqual(want));

  it.each([
    { args: [], why: 'a path is missing' },
    { args: ['a', '--runs'], why: 'a number from 1' },
    { args: ['a', '--runs', '0'], why: 'a number from 1' },
    { args: ['a', '--fast'], why: 'unknown option --fast' },
  ])('$args are refused: $why', ({ args, why }) => expect(() => parseOptions(args)).toThrow(why));

  it('run tests of a real server with their own configuration', () => {
    expect(suitesOf(['test/cli', 'test/kube/cli.test.ts'])).toEqual([
      { config: 'vitest.config.ts', paths: ['test/cli'] },
      { config: 'vitest.kube.config.ts', paths: ['test/kube/cli.test.ts'] },
    ]);
  });

  it('run with the configuration that includes them, a whole suite too', () => {
    const configOf = (path: string): readonly string[] => suitesOf([path]).map(({ config }) => config);
    expect(configOf('test/kube')).toEqual(['vitest.kube.config.ts']);
    expect(configOf('./test/console/users.test.ts')).toEqual(['test/console/vitest.config.ts']);
    expect(configOf('test/interop')).toEqual(['test/interop/vitest.config.ts']);
    expect(configOf('test/kubectl')).toEqual(['vitest.config.ts']);
    expect(configOf('packages/console')).toEqual(['vitest.config.ts']);
    for (const [config] of ['test/kube', 'test/console', 'test/interop', 'test'].map(configOf))
      expect(existsSync(join(ROOT, config ?? ''))).toBe(true);
  });
});

describe('an interrupted run', () => {
  it('leaves no process behind, not even one that a test started', async () => {
    const folder = mkdtempSync(join(ROOT, 'tools', 'stability', 'planted-'));
    const marker = join(folder, 'pid');
    try {
      writeFileSync(
        join(folder, 'server.test.ts'),
        `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
it('starts a server and waits', async () => {
  const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  writeFileSync(${JSON.stringify(marker)}, String(pid));
  await new Promise(() => undefined);
});
`,
      );
      const args = [
        '--conditions=source',
        '--import',
        'tsx',
        'tools/stability/main.ts',
        folder,
        '--runs',
        '1',
        '--no-hog',
        '--no-one-core',
      ];
      const command = spawn(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });
      await expect.poll(() => existsSync(marker) && readFileSync(marker, 'utf8') !== '', { timeout: 50_000 }).toBe(true);
      const server = Number(readFileSync(marker, 'utf8'));
      command.kill('SIGTERM');
      await expect.poll(() => isRunning(server), { timeout: 10_000 }).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Whether a process is running. A zombie process is not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the command', () => {
  let folder: string;
  beforeAll(() => {
    // The folder is inside the repository, because vitest finds tests only there.
    folder = mkdtempSync(join(ROOT, 'tools', 'stability', 'planted-'));
    const marker = JSON.stringify(join(folder, 'ran'));
    writeFileSync(
      join(folder, 'second.test.ts'),
      `import { existsSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
it('fails from its second run on', () => {
  const isSecond = existsSync(${marker});
  writeFileSync(${marker}, '');
  expect(isSecond).toBe(false);
});
`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reports a test that fails in some of its runs, and fails', () => {
    const args = ['--conditions=source', '--import', 'tsx', 'tools/stability/main.ts', folder, '--runs', '2', '--no-hog', '--no-one-core'];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(stdout).toMatch(/1 of 2 runs failed: .*second\.test\.ts › fails from its second run on\n {2}in run 2\n/);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('1 of 2 runs passed');
    expect(status).toBe(1);
  });
});
