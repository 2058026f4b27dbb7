import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { openLmdbStore } from './adapters/open-lmdb-store.js';
import { thing } from './fixtures.js';

const MB = 1024 * 1024;

/** Collects all garbage and returns the bytes that live objects and buffers of this thread use. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
  collect();
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

describe('the memory of a durable store', () => {
  it('does not contain the objects of its history after a restart', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'outrigger-store-'));
    const written = await openLmdbStore(dir);
    const write = async (i: number): Promise<void> => {
      const key = `example.com/things/default/thing-${i}`;
      const { revision } = await written.put(key, 0, (next) => thing(next, randomBytes(50_000).toString('hex')));
      // Half of the keys are deleted, so that the history also names keys that no longer exist.
      if (i % 2 === 0) await written.delete(key, revision, (next) => thing(next, 'last'));
    };
    await Promise.all(Array.from({ length: 100 }, (_, i) => write(i)));
    await written.close();
    const before = liveBytes();
    const store = await openLmdbStore(dir);
    const used = liveBytes() - before;
    expect([...store.since(store.compactedRevision)]).toHaveLength(150);
    await store.close();
    rmSync(dir, { recursive: true });
    // As JSON, all objects in the history together have 10 MB.
    expect(used).toBeLessThan(2 * MB);
  });
});
