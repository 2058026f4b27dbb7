import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LmdbJournal } from '../store/adapters/lmdb-journal.js';
import type { Change, Store } from '../store/contract.js';
import { thing } from '../store/fixtures.js';
import { MvccStore } from '../store/mvcc.js';

const PAGE = 4096;
/** The number of meta pages, which point to the root of the tree. The database writes them after all other pages of a transaction. */
const META_PAGES = 2;
const KEYS = 60;

const root = mkdtempSync(join(tmpdir(), 'torn-writes-'));
afterAll(() => rmSync(root, { recursive: true }));

function openStore(dir: string): Store {
  return new MvccStore(LmdbJournal.open(dir, { onClosed: async () => undefined }));
}

const brief = ({ type, key, revision, object }: Change): string => `${revision} ${type} ${key} ${object.metadata.uid ?? ''}`;

/** Returns every object and the whole watch history. */
function contentOf(store: Store): readonly string[] {
  const objects = store.range('').entries.map(({ key, revision, object }) => `${key} ${revision} ${object.metadata.uid ?? ''}`);
  return [...objects, ...[...store.since(store.compactedRevision)].map(brief)];
}

/** The state of the store between two writes: the database file, and the content that readers see. */
interface Snapshot {
  readonly file: Buffer;
  readonly content: readonly string[];
}

/** Snapshots before and after writes of different sizes: one page, many pages, a deletion, a compaction. */
const snapshots: Snapshot[] = [];
let copies = 0;

beforeAll(async () => {
  const dir = join(root, 'written');
  mkdirSync(dir);
  const store = openStore(dir);
  const take = (): void => {
    // The operating system copies the file, so that the copy has the bytes of the page cache.
    copyFileSync(join(dir, 'data.mdb'), join(root, 'copy'));
    snapshots.push({ file: readFileSync(join(root, 'copy')), content: contentOf(store) });
  };
  const put = async (i: number, text: string): Promise<void> => {
    const key = `/a/x/${i}`;
    await store.put(key, store.get(key)?.revision ?? 0, (revision) => thing(revision, text));
  };
  for (let i = 0; i < KEYS; i++) await put(i, 'x'.repeat(300));
  take();
  await put(1, 'small');
  take();
  await put(2, Array.from({ length: 3000 }, (_, i) => i.toString(36)).join(''));
  take();
  await Promise.all(Array.from({ length: KEYS }, (_, i) => put(i, `many ${i}`)));
  take();
  const { revision = 0 } = store.get('/a/x/5') ?? {};
  await store.delete('/a/x/5', revision, (deletedAt) => thing(deletedAt, 'gone'));
  take();
  await store.compact(store.revision - 3);
  take();
  await store.close();
});

/** Returns the content that the next process would read from a store with this file. */
async function readBack(file: Buffer): Promise<readonly string[]> {
  const dir = join(root, `copy-${copies++}`);
  mkdirSync(dir);
  writeFileSync(join(dir, 'data.mdb'), file);
  const store = openStore(dir);
  const content = contentOf(store);
  await store.close();
  rmSync(dir, { recursive: true });
  return content;
}

/** Returns the numbers of the pages that a write changed, except the meta pages, which are written last. */
function changedPages(before: Buffer, after: Buffer): readonly number[] {
  const found: number[] = [];
  for (let page = META_PAGES; page * PAGE < after.length; page++) {
    const [start, end] = [page * PAGE, (page + 1) * PAGE];
    if (!before.subarray(start, end).equals(after.subarray(start, end))) found.push(page);
  }
  return found;
}

/**
 * Returns the file from before a write, in which the given pages have their content from after the write. In the last of these pages, only
 * the bytes before `cutAt` are replaced.
 */
function tornFile(before: Buffer, after: Buffer, pages: readonly number[], cutAt: number): Buffer {
  const last = pages.at(-1) ?? 0;
  const length = Math.max(before.length, ...pages.map((page) => (page === last ? page * PAGE + cutAt : (page + 1) * PAGE)));
  const file = Buffer.alloc(Math.ceil(length / PAGE) * PAGE);
  before.copy(file);
  for (const page of pages) after.copy(file, page * PAGE, page * PAGE, page === last ? page * PAGE + cutAt : (page + 1) * PAGE);
  return file;
}

describe('a write that a crash interrupts before its last page', () => {
  const writes = [0, 1, 2, 3, 4].map((i) => ({
    i,
    name: ['one object', 'a large object', 'many objects', 'a deletion', 'a compaction'][i],
  }));

  it.each(writes)('changes nothing, in any order of its pages and cut at any byte ($name)', async ({ i }) => {
    const [before, after] = [snapshots[i], snapshots[i + 1]] as [Snapshot, Snapshot];
    const pages = changedPages(before.file, after.file);
    expect(pages.length).toBeGreaterThan(0);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...pages]), fc.integer({ min: 0, max: PAGE }), async (written, cutAt) => {
        expect(await readBack(tornFile(before.file, after.file, written, cutAt))).toEqual(before.content);
      }),
      { numRuns: 12 },
    );
  });

  it('is complete once its last page is written', async () => {
    for (const { file, content } of snapshots) expect(await readBack(file)).toEqual(content);
  });
});
