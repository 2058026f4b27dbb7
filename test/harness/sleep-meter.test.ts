import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Sleeps for 700 ms in total, in every way that a test can, and starts timers that do not count as fixed sleeps. */
const SLEEPER = `
import { setTimeout as sleep } from 'node:timers/promises';
import { createRealRuntime } from '@outrigger/kube/node';
import { it } from 'vitest';
import { withFasterClock } from '../../world/faster-clock.js';
it('sleeps', async () => {
  const runtime = createRealRuntime();
  await sleep(200);
  await withFasterClock(runtime, 2).timers.sleep(500);
  await new Promise((resolve) => setTimeout(resolve, 250));
  const limit = setTimeout(() => undefined, 1_000);
  for (let i = 0; i < 5; i++) await runtime.timers.sleep(20);
  clearTimeout(limit);
});
`;

describe('the measurement of fixed sleeps', () => {
  it('counts timers of tests that ran to their end, and neither polling nor limits', () => {
    const planted = mkdtempSync(join(ROOT, 'test', 'harness', 'planted-'));
    const measured = mkdtempSync(join(tmpdir(), 'outrigger-sleeps-'));
    try {
      const file = join(planted, 'sleeper.test.ts');
      writeFileSync(file, SLEEPER);
      const vitest = join(ROOT, 'node_modules', '.bin', 'vitest');
      const run = spawnSync(vitest, ['run', file], { cwd: ROOT, env: { ...process.env, OUTRIGGER_SLEEPS: measured }, encoding: 'utf8' });
      expect(run.status, run.stdout).toBe(0);
      const files = readdirSync(measured).map((name) => JSON.parse(readFileSync(join(measured, name), 'utf8')) as object);
      expect(Object.assign({}, ...files)).toEqual({ [relative(ROOT, file)]: 700 });
    } finally {
      for (const folder of [planted, measured]) rmSync(folder, { recursive: true });
    }
  });
});
