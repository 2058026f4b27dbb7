import { ApiError, type ApiRequest, type ApiResponse, type KubeObject, type WatchEvent } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from './client.js';
import { ConnectionError } from './connection-error.js';
import { manualRuntime, settle, widget, widgets } from './fixtures.js';
import { reflect } from './reflect.js';

type Move =
  | { readonly do: 'put' | 'remove'; readonly name: string }
  | { readonly do: 'compact' | 'cut' | 'bookmark' | 'fail next' }
  | { readonly do: 'wait'; readonly ms: number };

/** A small API server that compacts old versions and supports fault injection. */
function createModel() {
  const objects = new Map<string, KubeObject>();
  let version = 10;
  let compacted = 0;
  let failNext = false;
  let log: (WatchEvent & { readonly version: number })[] = [];
  const streams = new Set<{ push(event: WatchEvent): void; fail(error: Error): void }>();

  function record(type: WatchEvent['type'], name: string): WatchEvent {
    version += 1;
    const event = { type, object: widget(name, String(version)), version };
    log.push(event);
    for (const stream of streams) stream.push(event);
    return event;
  }

  async function* events(since: number, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const queue: (WatchEvent | Error)[] = log.filter((it) => it.version > since);
    let wake: () => void = () => undefined;
    const stream = {
      push(event: WatchEvent): void {
        queue.push(event);
        wake();
      },
      fail(error: Error): void {
        queue.push(error);
        wake();
      },
    };
    streams.add(stream);
    signal.addEventListener('abort', () => stream.fail(signal.reason as Error));
    try {
      for (;;) {
        const next = queue.shift();
        if (next instanceof Error) throw next;
        if (next) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      streams.delete(stream);
    }
  }

  /** All pages come from the snapshot of the first page, whose version is part of the token. */
  const snapshots = new Map<string, readonly KubeObject[]>();
  function list(query: Readonly<Record<string, unknown>>): ApiResponse {
    const token = query['continue'] as string | undefined;
    const [at = String(version), offset = '0'] = token?.split('/') ?? [];
    if (Number(at) < compacted) throw new ApiError('Expired', 'the token is too old');
    if (token === undefined) snapshots.set(at, [...objects.values()]);
    const all = snapshots.get(at) ?? [];
    const limit = Number(query['limit'] ?? all.length);
    const end = Number(offset) + limit;
    const metadata = { resourceVersion: at, ...(end < all.length ? { continue: `${at}/${end}` } : {}) };
    return { status: 200, headers: {}, body: { kind: 'List', metadata, items: all.slice(Number(offset), end) } };
  }

  async function send(request: ApiRequest, signal = new AbortController().signal): Promise<ApiResponse> {
    if (failNext) {
      failNext = false;
      throw new ConnectionError('hurt', { code: 'ECONNRESET', server: '', sent: true });
    }
    const query = request.query ?? {};
    try {
      if (!request.watch) return list(query);
      const since = Number(query['resourceVersion']);
      if (since < compacted) throw new ApiError('Expired', 'too old');
      return { status: 200, headers: {}, events: events(since, signal) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.code, headers: {}, body: error.toStatus() };
    }
  }

  return {
    objects,
    send,
    apply(move: Exclude<Move, { do: 'wait' }>): void {
      switch (move.do) {
        case 'put':
          objects.set(move.name, record(objects.has(move.name) ? 'MODIFIED' : 'ADDED', move.name).object);
          return;
        case 'remove':
          if (objects.delete(move.name)) record('DELETED', move.name);
          return;
        case 'compact':
          compacted = version;
          log = [];
          return;
        case 'cut':
          for (const stream of streams) stream.fail(new ConnectionError('cut', { code: 'ECONNRESET', server: '', sent: true }));
          return;
        case 'bookmark':
          for (const stream of streams) stream.push({ type: 'BOOKMARK', object: widget('', String(version)) });
          return;
        case 'fail next':
          failNext = true;
      }
    },
  };
}

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('put' as const, 'remove' as const), name: names }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('compact' as const, 'cut' as const, 'bookmark' as const, 'fail next' as const) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 500, 3_000, 400_000) }) },
);

describe('reflect, under any faults', () => {
  it('ends with the objects of the server, and never shows an older object between two lists', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 25 }), async (script) => {
        const runtime = manualRuntime();
        const model = createModel();
        const client = createClient({ transport: { send: model.send, close: async () => undefined }, runtime, limits: { retries: 0 } });
        const stop = new AbortController();
        const replica = new Map<string, string>();
        let listed: Map<string, string> | undefined;
        const follow = (async () => {
          for await (const event of reflect({ client, runtime, kind: widgets, pageSize: 2 }, stop.signal)) {
            const object = 'object' in event ? event.object.metadata : {};
            const { name = '', resourceVersion = '' } = object;
            if (event.type === 'Init') listed = new Map();
            if (event.type === 'InitApply') listed?.set(name, resourceVersion);
            if (event.type === 'InitDone') {
              replica.clear();
              for (const [key, value] of listed ?? []) replica.set(key, value);
            }
            if (event.type === 'Apply') {
              expect(Number(resourceVersion)).toBeGreaterThan(Number(replica.get(name) ?? 0));
              replica.set(name, resourceVersion);
            }
            if (event.type === 'Delete') replica.delete(name);
          }
        })();
        for (const move of script) {
          if (move.do === 'wait') await runtime.advance(move.ms);
          else model.apply(move);
        }
        await runtime.advance(900_000);
        await settle();
        const wanted = [...model.objects].map(([name, object]) => [name, object.metadata.resourceVersion] as const);
        expect(Object.fromEntries(replica)).toEqual(Object.fromEntries(wanted));
        stop.abort(new Error('done'));
        await follow;
      }),
      { numRuns: 150 },
    );
  });
});
