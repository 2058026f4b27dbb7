import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, removeIdentity, runningProcess, writeIdentity } from './process-identity.js';

describe('which process runs a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('finds itself after writing, and nobody after removing', async () => {
    await writeIdentity(folder);
    const found = await runningProcess(folder);
    expect(found?.pid).toBe(process.pid);
    await removeIdentity(folder);
    expect(await runningProcess(folder)).toBeUndefined();
  });

  it('does not take another process that got the same pid for ours', async () => {
    await writeFile(join(folder, 'outrigger.pid'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    expect(await runningProcess(folder)).toBeUndefined();
  });

  it.each(['', 'x', '12', '{"pid":1}', '{"pid":"1","startedAt":"2"}', '{"pid":1,"startedAt":""}'])(
    'a file that says %j names nobody',
    async (text) => {
      await writeFile(join(folder, 'outrigger.pid'), text);
      expect(await runningProcess(folder)).toBeUndefined();
    },
  );

  it('knows that a pid nobody has is not running', () => expect(isRunning({ pid: 2 ** 22 + 1, startedAt: '1' })).toBe(false));
});
