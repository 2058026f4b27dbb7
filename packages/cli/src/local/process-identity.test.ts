import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, leaveFolder, runningProcess, takeFolder } from './process-identity.js';

describe('which process runs a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('finds itself after taking it, and no process after leaving it', async () => {
    expect(await takeFolder(folder)).toBeUndefined();
    const found = await runningProcess(folder);
    expect(found?.pid).toBe(process.pid);
    await leaveFolder(folder);
    expect(await runningProcess(folder)).toBeUndefined();
  });

  it('is taken by one of two processes that start at once; the other gets the identity of the first', async () => {
    const outcomes = await Promise.all([takeFolder(folder), takeFolder(folder)]);
    expect(outcomes.filter((other) => other === undefined)).toHaveLength(1);
    expect(outcomes.find((other) => other !== undefined)?.pid).toBe(process.pid);
  });

  it('is taken from a process that has ended, and not removed by one that does not hold it', async () => {
    const file = join(folder, 'outrigger.pid');
    await writeFile(file, JSON.stringify({ pid: process.pid, startedAt: '1' }));
    await leaveFolder(folder);
    expect(await readFile(file, 'utf8')).toContain('"startedAt":"1"');
    expect(await takeFolder(folder)).toBeUndefined();
    expect((await runningProcess(folder))?.pid).toBe(process.pid);
  });

  it('a file in its place means that no process runs', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await runningProcess(join(folder, 'file'))).toBeUndefined();
  });

  it('does not take another process that got the same pid for ours', async () => {
    await writeFile(join(folder, 'outrigger.pid'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    expect(await runningProcess(folder)).toBeUndefined();
  });

  it.each(['', 'x', '12', '{"pid":1}', '{"pid":"1","startedAt":"2"}', '{"pid":1,"startedAt":""}'])(
    'a file with the content %j names no process',
    async (text) => {
      await writeFile(join(folder, 'outrigger.pid'), text);
      expect(await runningProcess(folder)).toBeUndefined();
    },
  );

  it('reports an unused pid as not running', () => expect(isRunning({ pid: 2 ** 22 + 1, startedAt: '1' })).toBe(false));
});
