import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../store/adapters/open-lmdb-store.js';
import { bundleProgram } from './fixtures/fixtures-program.js';

let bundle: Awaited<ReturnType<typeof bundleProgram>> | undefined;
const root = mkdtempSync(join(tmpdir(), 'real-disk-'));
const children = new Set<ChildProcess>();

beforeAll(async () => {
  bundle = await bundleProgram(new URL('./fixtures/fixtures-disk.ts', import.meta.url), 'disk-writer.mjs');
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  bundle?.remove();
  rmSync(root, { recursive: true });
});

/** The reports that a writer has written so far. */
interface Reported {
  readonly acknowledged: number;
  readonly refused: string | undefined;
  readonly readable: number | undefined;
}

/** A process that has the store open. */
class Writer {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #ended: Promise<void>;
  #waiting: (() => void) | undefined;

  /** `blocks` is the size limit for files that the process writes, in blocks of 512 bytes. */
  constructor(folder: string, most: number, blocks?: number) {
    // The shell ignores the signal that a write above the limit causes, so the write fails instead, as on a full disk.
    const limit = blocks === undefined ? '' : `trap '' XFSZ; ulimit -f ${blocks}; `;
    const command = `${limit}exec "$0" "$1" "$2" "$3"`;
    this.#child = spawn('sh', ['-c', command, process.execPath, bundle?.program ?? '', folder, String(most)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.add(this.#child);
    const { stdout } = this.#child;
    if (!stdout) throw new Error('the writer has no output');
    createInterface(stdout).on('line', (line) => {
      this.#lines.push(line);
      this.#waiting?.();
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', () => {
        resolve();
        this.#waiting?.();
      });
    });
  }

  get reported(): Reported {
    const textOf = (word: string): string | undefined =>
      this.#lines.findLast((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
    const readable = textOf('readable');
    return {
      acknowledged: Number(textOf('acknowledged') ?? 0),
      refused: textOf('refused'),
      readable: readable === undefined ? undefined : Number(readable),
    };
  }

  /** Resolves when the writer has reported this word or has exited. */
  async reports(word: string): Promise<Reported> {
    while (!this.#lines.some((line) => line.startsWith(word)) && this.#child.exitCode === null && this.#child.signalCode === null) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return this.reported;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Asks the writer to exit. Resolves with its exit code. */
  async end(): Promise<number | null> {
    this.#child.stdin?.end();
    await this.#ended;
    return this.#child.exitCode;
  }
}

/** Opens the store in a folder and returns the numbers in the names of its objects. No other process may have the store open. */
async function contentOf(folder: string): Promise<readonly number[]> {
  const store = await openLmdbStore(folder);
  const numbers = store.range('').entries.map(({ key }) => Number(key.split('/').at(-1)));
  await store.close();
  return numbers.sort((a, b) => a - b);
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);

function folderOf(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/**
 * Returns a folder that the user of this process cannot write to. For root it is a read-only file system; for any other user, a folder
 * without write permission.
 */
function readOnlyFolder(): { readonly folder: string; readonly release: () => void } {
  const folder = folderOf('read-only');
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    return { folder, release: () => chmodSync(folder, 0o700) };
  }
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'none', folder]);
  if (status === 0) return { folder, release: () => void spawnSync('umount', [folder]) };
  // If root may not mount, use a file system that refuses every new file.
  return { folder: '/proc/self', release: () => undefined };
}

describe('a real process on a real disk', () => {
  it('refuses writes when the disk is full, keeps serving reads, and loses nothing that it acknowledged', async () => {
    const folder = folderOf('full');
    const writer = new Writer(folder, 10_000, 600);
    const { acknowledged, refused, readable } = await writer.reports('readable');
    expect(acknowledged).toBeGreaterThan(5);
    expect(refused).toContain('Make sure the disk has room and the folder is writable; nothing of this write was kept');
    expect(readable).toBe(acknowledged);
    expect(await writer.end()).toBe(0);
    expect(await contentOf(folder)).toEqual(upTo(acknowledged));
    // A writer without the limit on file sizes can open the same store.
    const next = new Writer(folder, 0);
    expect((await next.reports('readable')).readable).toBe(acknowledged);
    await next.kill();
  });

  it('reports a disk that is read-only', async () => {
    const { folder, release } = readOnlyFolder();
    const { refused, acknowledged } = await new Writer(folder, 1).reports('refused');
    release();
    expect(refused).toContain(folder);
    expect(acknowledged).toBe(0);
  });

  it('gives a folder to one of two processes, names its owner to the other, and is free after a kill', async () => {
    const folder = folderOf('shared');
    const first = new Writer(folder, 3);
    await first.reports('readable');
    const second = await new Writer(folder, 3).reports('refused');
    expect(second.refused).toMatch(/is in use by process \d+\. Stop that process, or use another folder\.$/);
    expect(second.acknowledged).toBe(0);
    await first.kill();
    expect(await contentOf(folder)).toEqual(upTo(3));
  });

  it('has every acknowledged write after a kill at any moment', async () => {
    const folder = folderOf('killed');
    for (const delayMs of [0, 3, 11, 40]) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder, { mode: 0o700 });
      const writer = new Writer(folder, 10_000);
      await writer.reports('acknowledged');
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await writer.kill();
      const { acknowledged } = writer.reported;
      const found = await contentOf(folder);
      expect(found).toEqual(upTo(found.length));
      // One write may have reached the disk without being acknowledged.
      expect(found.length - acknowledged).toBeGreaterThanOrEqual(0);
      expect(found.length - acknowledged).toBeLessThanOrEqual(1);
    }
  });
});
