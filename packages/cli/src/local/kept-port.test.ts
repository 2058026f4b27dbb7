import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onKeptPort } from './kept-port.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outrigger-port-'));
  file = join(folder, 'console.port');
});
afterEach(() => rm(folder, { recursive: true }));

/** Starts a server, which gets port 5000 if it may use any port. Returns the ports that were tried, and the port of the server. */
async function started(wanted: number, taken: readonly number[] = []): Promise<{ tried: readonly number[]; port: number }> {
  const tried: number[] = [];
  const start = async (port: number): Promise<number> => {
    tried.push(port);
    if (taken.includes(port)) throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
    return port === 0 ? 5000 : port;
  };
  return { port: await onKeptPort({ file, wanted, start, portOf: (port) => port }), tried };
}

it('the first start takes any port, and the next one the same', async () => {
  expect(await started(0)).toEqual({ tried: [0], port: 5000 });
  expect(await started(0)).toEqual({ tried: [5000], port: 5000 });
});

it('a kept port that another program uses is given up', async () => {
  await writeFile(file, '4000', { mode: 0o600 });
  expect(await started(0, [4000])).toEqual({ tried: [4000, 0], port: 5000 });
  expect(await readFile(file, 'utf8')).toBe('5000');
});

it('a port that the user asks for is used and kept, or the start fails', async () => {
  expect(await started(6000)).toEqual({ tried: [6000], port: 6000 });
  expect(await started(0)).toEqual({ tried: [6000], port: 6000 });
  await expect(started(7000, [7000])).rejects.toThrow('taken');
});

it.each(['', 'x', '-1', '70000', '1.5'])('a file with %j counts as none', async (text) => {
  await writeFile(file, text, { mode: 0o600 });
  expect(await started(0)).toEqual({ tried: [0], port: 5000 });
});
