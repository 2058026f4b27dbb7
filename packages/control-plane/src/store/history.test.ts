import { describe, expect, it } from 'vitest';
import { ManualRuntime } from '../handle/fixtures.js';
import { limitHistory } from './history.js';
import { MemoryStore } from './memory.js';
import { thing } from './fixtures.js';

describe('limited history', () => {
  const write = (store: MemoryStore, key: string) => store.put(key, 0, (revision) => thing(revision, key));

  it('forgets by age', async () => {
    const runtime = new ManualRuntime();
    const store = new MemoryStore();
    const stop = limitHistory(store, runtime, { maxAgeMs: 600_000, maxChanges: 1000 });
    await write(store, '/a//1');
    runtime.advance(60_000);
    await write(store, '/a//2');
    runtime.advance(540_000);
    expect(store.compactedRevision).toBe(1);
    runtime.advance(120_000);
    expect(store.compactedRevision).toBe(3);
    stop();
  });

  it('forgets by number', async () => {
    const runtime = new ManualRuntime();
    const store = new MemoryStore();
    const stop = limitHistory(store, runtime, { maxAgeMs: 600_000, maxChanges: 5 });
    for (let i = 0; i < 20; i++) await write(store, `/a//${i}`);
    runtime.advance(30_000);
    expect([...store.since(store.compactedRevision)]).toHaveLength(5);
    stop();
    runtime.advance(10 * 600_000);
    expect(store.compactedRevision).toBe(16);
  });
});
