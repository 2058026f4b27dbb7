import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openLmdbStore } from './adapters/open-lmdb-store.js';
import { takeFolder } from './adapters/single-writer.js';
import { RevisionExpired, RevisionMismatch, StoreUnavailable, type Change, type Store } from './contract.js';
import type { Journal } from './journal.js';
import { MemoryStore } from './memory.js';
import { MvccStore } from './mvcc.js';
import { ModelStore, thing } from './fixtures.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function lmdb(): Promise<{ store: Store; dir: string; reopen: () => Promise<Store> }> {
  const dir = mkdtempSync(join(tmpdir(), 'outrigger-store-'));
  let store = await openLmdbStore(dir);
  cleanups.push(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const reopen = async (): Promise<Store> => {
    await store.close();
    store = await openLmdbStore(dir);
    return store;
  };
  return { store, dir, reopen };
}

const implementations: readonly (readonly [string, () => Promise<Store>])[] = [
  ['memory', async () => new MemoryStore()],
  ['lmdb', async () => (await lmdb()).store],
];

const brief = ({ type, key, revision, object, previous }: Change): string =>
  `${revision} ${type} ${key} ${object.metadata.uid} was ${previous?.metadata.uid ?? '-'}`;

const KEYS = ['/a/x/1', '/a/x/2', '/a/y/1', '/ab/x/1', 'g/a/x/1'];
const PREFIXES = ['', '/a/', '/a/x/', '/ab/', 'g/a/', '/none/'];

type Command =
  | { readonly type: 'put' | 'delete'; readonly key: string; readonly stale: boolean }
  | { readonly type: 'compact'; readonly back: number };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom('put' as const, 'delete' as const), key: fc.constantFrom(...KEYS), stale: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const), back: fc.nat(6) }) },
);

async function run(store: Store, model: ModelStore, commands: readonly Command[]): Promise<void> {
  for (const [step, next] of commands.entries()) {
    if (next.type === 'compact') {
      await store.compact(model.revision - next.back);
      model.compact(model.revision - next.back);
      continue;
    }
    const current = model.get(next.key)?.revision ?? 0;
    const expected = next.stale && step % 3 === 0 ? current + 1 : current;
    const build = (revision: number) => thing(revision, `u${step}`);
    const want = model.write(next.type, next.key, expected, build);
    const got = await store[next.type](next.key, expected, build).then(brief, (error: unknown) => (error as Error).name);
    expect(got).toBe(typeof want === 'string' ? want : brief(want));
  }
}

function expectSame(store: Store, model: ModelStore): void {
  expect(store.revision).toBe(model.revision);
  for (let revision = model.compacted; revision <= model.revision; revision++) {
    expect([...store.since(revision)].map(brief)).toEqual(model.since(revision).map(brief));
    for (const prefix of PREFIXES) {
      expect(store.range(prefix, { atRevision: revision }).entries).toEqual(model.range(prefix, revision));
      expect(store.count(prefix, { atRevision: revision })).toBe(model.range(prefix, revision).length);
      const [first] = model.range(prefix, revision);
      if (!first) continue;
      const rest = store.range(prefix, { atRevision: revision, after: first.key, limit: 1 });
      expect(rest.entries).toEqual(model.range(prefix, revision).slice(1, 2));
      expect(rest.more).toBe(model.range(prefix, revision).length > 2);
      expect(store.count(prefix, { atRevision: revision, after: first.key })).toBe(model.range(prefix, revision).length - 1);
    }
    for (const key of KEYS) expect(store.get(key, revision)).toEqual(model.get(key, revision));
  }
}

describe.each(implementations)('the %s store', (name, create) => {
  it('behaves like a list of all states there ever were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const store = await create();
        const model = new ModelStore();
        const seen: string[] = [];
        store.subscribe((change) => seen.push(brief(change)));
        await run(store, model, commands);
        expectSame(store, model);
        expect(seen).toEqual(model.all().map(brief));
      }),
      { numRuns: name === 'memory' ? 150 : 15 },
    );
  });

  it('lets one of many concurrent writers of a key win; the others fail after the result is readable', async () => {
    const store = await create();
    const attempts = await Promise.allSettled(
      [1, 2, 3].map(async (writer) => {
        try {
          return await store.put('/a/x/1', 0, (revision) => thing(revision, `w${writer}`));
        } catch (error) {
          expect(store.get('/a/x/1')?.object.metadata.uid).toBe('w1');
          throw error;
        }
      }),
    );
    expect(attempts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(attempts[1]).toMatchObject({ reason: new RevisionMismatch('/a/x/1', 0, 2) });
  });

  it('gives the writes of a listener their own revisions', async () => {
    const store = await create();
    const inner: Promise<Change>[] = [];
    store.subscribe(({ key }) => {
      if (key === '/a/x/1') inner.push(store.put('/a/y/1', 0, (revision) => thing(revision, 'inner')));
    });
    const outer = await Promise.all(['/a/x/1', '/a/x/2'].map((key) => store.put(key, 0, (revision) => thing(revision, key))));
    const revisions = [...outer, ...(await Promise.all(inner))].map(({ revision }) => revision);
    expect(new Set(revisions)).toEqual(new Set([2, 3, 4]));
    expect([...store.since(1)].map(({ revision }) => revision)).toEqual([2, 3, 4]);
  });

  it('finishes pending writes when it is closed, and refuses later ones', async () => {
    const store = await create();
    await Promise.all([1, 2, 3].map((i) => store.put(`/a/x/${i}`, 0, (revision) => thing(revision, 'x'))));
    const compacted = store.compact(3);
    const written = store.put('/a/y/1', 0, (revision) => thing(revision, 'y'));
    await Promise.all([store.close(), store.close()]);
    expect([await compacted, (await written).revision]).toEqual([undefined, 5]);
    await expect(store.put('/a/y/2', 0, (revision) => thing(revision, 'z'))).rejects.toThrow('the store is closed');
  });

  it('refuses to read or replay compacted revisions', async () => {
    const store = await create();
    for (const uid of ['a', 'b', 'c']) await store.put('/a/x/1', store.get('/a/x/1')?.revision ?? 0, (revision) => thing(revision, uid));
    await store.compact(3);
    expect(() => store.range('', { atRevision: 2 })).toThrow(RevisionExpired);
    expect(() => store.since(2)).toThrow(RevisionExpired);
    expect(store.range('', { atRevision: 3 }).entries.map(({ object }) => object.metadata.uid)).toEqual(['b']);
  });

  it('replays each change when it is reached, and refuses changes that were compacted meanwhile', async () => {
    const store = await create();
    for (const uid of ['a', 'b', 'c']) await store.put('/a/x/1', store.get('/a/x/1')?.revision ?? 0, (revision) => thing(revision, uid));
    const changes = store.since(1)[Symbol.iterator]();
    expect(changes.next().value).toMatchObject({ revision: 2, isCreation: true });
    await store.compact(3);
    expect(() => changes.next()).toThrow(RevisionExpired);
  });
});

describe('the lmdb store', () => {
  it('continues at the revision at which it was closed, with its history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 20 }), fc.array(command, { maxLength: 8 }), async (before, after) => {
        const { store, reopen } = await lmdb();
        const model = new ModelStore();
        await run(store, model, before);
        const reopened = await reopen();
        expectSame(reopened, model);
        await run(reopened, model, after);
        expectSame(reopened, model);
      }),
      { numRuns: 12 },
    );
  });

  it('belongs to one process at a time', async () => {
    const { dir, reopen } = await lmdb();
    await expect(openLmdbStore(dir)).rejects.toThrow(
      `the store in ${dir} is in use by process ${process.pid}. Stop that process, or use another folder.`,
    );
    const store = await reopen();
    expect(store.revision).toBe(1);
  });

  it('is free again after its owner was killed', async () => {
    const { dir, store } = await lmdb();
    await store.close();
    writeFileSync(join(dir, 'owner'), '999999999 123');
    const next = await openLmdbStore(dir);
    expect(next.revision).toBe(1);
    await next.close();
  });

  it.each(['free', 'left by a process that died'])('goes to one of many that open it at the same time, if it is %s', async (owner) => {
    const dir = mkdtempSync(join(tmpdir(), 'outrigger-store-'));
    cleanups.push(() => rmSync(dir, { recursive: true }));
    if (owner !== 'free') {
      writeFileSync(join(dir, 'owner'), '999999999 123');
      writeFileSync(join(dir, 'claim-999999999-123-000000000000'), '');
    }
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => takeFolder(dir)));
    const taken = opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const messages = opened.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    expect(taken).toHaveLength(1);
    expect(new Set(messages)).toEqual(
      new Set([`StoreUnavailable: the store in ${dir} is in use by process ${process.pid}. Stop that process, or use another folder.`]),
    );
    taken[0]?.();
    expect(readdirSync(dir)).toEqual([]);
  });

  const damages: readonly (readonly [string, (file: string) => void])[] = [
    ['overwritten', (file) => writeFileSync(file, Buffer.alloc(65_536, 0x5a))],
    ['cut short', (file) => truncateSync(file, 8192)],
    ['not a store', (file) => writeFileSync(file, 'hello')],
  ];
  it.each(damages)('reports that its file was %s, and the process survives', async (_name, damage) => {
    const { store, dir } = await lmdb();
    for (let i = 0; i < 50; i++) await store.put(`/a/x/${i}`, 0, (revision) => thing(revision, 'x'.repeat(500)));
    await store.close();
    damage(join(dir, 'data.mdb'));
    await expect(openLmdbStore(dir)).rejects.toThrow(StoreUnavailable);
    await expect(openLmdbStore(dir)).rejects.toThrow(/is damaged .* Restore the folder from a backup, or move it away to start empty/);
  });
});

describe('an object that is read in passing', () => {
  it('comes with its JSON, is equal to the object that others read, and is not shared with them', async () => {
    const { store, reopen } = await lmdb();
    for (const key of KEYS) await store.put(key, 0, (revision) => thing(revision, `${key} é "quoted"\n`));
    const reopened = await reopen();
    const passing = reopened.range('', { inPassing: true }).entries;
    const kept = reopened.range('').entries;
    expect(passing.map(({ text, ...entry }) => [entry, JSON.parse(text ?? 'null') as unknown])).toEqual(
      kept.map((entry) => [entry, entry.object]),
    );
    expect(passing.filter(({ object }, i) => object === kept[i]?.object)).toEqual([]);
    expect(reopened.range('', { inPassing: true }).entries).toEqual(kept);
  });
});

describe('a store with a long history', () => {
  it('opens', () => {
    const length = 200_000;
    const history = Array.from(
      { length },
      (_, i) => ({ revision: i + 2, type: 'put', key: '/a/x/1', previous: i === 0 ? 0 : i + 1 }) as const,
    );
    const newest = length + 1;
    const store = new MvccStore({
      takeState: () => ({ revision: newest, compactedRevision: 1, heads: [['/a/x/1', newest]], history }),
      append: () => undefined,
      read: (revision) => thing(revision, String(revision)),
      readInPassing: (revision) => ({ object: thing(revision, String(revision)) }),
      compact: () => undefined,
      close: async () => undefined,
    });
    expect(store.get('/a/x/1', newest - 1)?.revision).toBe(newest - 1);
    expect([...store.since(newest - 2)].map(({ revision }) => revision)).toEqual([newest - 1, newest]);
  });
});

describe('a store whose disk is full', () => {
  /** Returns an in-memory journal that can simulate a full disk. */
  function journal(): Journal & { full: boolean } {
    const objects = new Map<number, ReturnType<typeof thing>>();
    return {
      full: false,
      takeState: () => ({ revision: 1, compactedRevision: 1, heads: [], history: [] }),
      async append(entries) {
        await Promise.resolve();
        if (this.full) throw new StoreUnavailable('no room');
        for (const { revision, object } of entries) objects.set(revision, object);
      },
      read: (revision) => objects.get(revision) ?? thing(0, 'missing'),
      readInPassing: (revision) => ({ object: objects.get(revision) ?? thing(0, 'missing') }),
      compact: () => undefined,
      close: async () => undefined,
    };
  }

  it('refuses every write that depends on the failed one, stays readable, and continues when there is room', async () => {
    const disk = journal();
    const store = new MvccStore(disk);
    const seen: number[] = [];
    store.subscribe(({ revision }) => seen.push(revision));
    await store.put('/a/x/1', 0, (revision) => thing(revision, 'kept'));
    disk.full = true;
    const lost = await Promise.allSettled(['/a/x/2', '/a/x/3'].map((key) => store.put(key, 0, (revision) => thing(revision, 'lost'))));
    expect(lost).toMatchObject([{ reason: new StoreUnavailable('no room') }, { reason: new StoreUnavailable('no room') }]);
    expect(store.range('').entries.map(({ object }) => object.metadata.uid)).toEqual(['kept']);
    disk.full = false;
    expect(await store.put('/a/x/2', 0, (revision) => thing(revision, 'again'))).toMatchObject({ revision: 3 });
    expect(seen).toEqual([2, 3]);
  });
});
