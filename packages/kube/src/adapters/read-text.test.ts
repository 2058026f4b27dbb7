import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readText } from './read-text.js';

describe('the text of a file', () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-text-'));
    execFileSync('mkfifo', [path('pipe')]);
    await writeFile(path('file'), 'ä\n');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is read from a file and from a named pipe', async () => {
    const { signal } = new AbortController();
    expect(await readText(path('file'), signal)).toBe('ä\n');
    const reading = readText(path('pipe'), signal);
    await writeFile(path('pipe'), 'a: 1\n');
    expect(await reading).toBe('a: 1\n');
  });

  it('of a named pipe without a writer: a signal ends the wait', async () => {
    const stop = new AbortController();
    const reading = readText(path('pipe'), stop.signal);
    stop.abort(new Error('ended by SIGTERM'));
    await expect(reading).rejects.toThrow('ended by SIGTERM');
    await expect(readText(path('file'), stop.signal)).rejects.toThrow('ended by SIGTERM');
  });

  it('of an endless file is refused', async () => {
    await expect(readText('/dev/zero', new AbortController().signal)).rejects.toThrow('the text has more than');
  });
});
