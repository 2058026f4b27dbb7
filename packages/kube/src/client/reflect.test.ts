import type { ApiRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { createClient } from './client.js';
import { ConnectionError } from './connection-error.js';
import {
  brief,
  event,
  type ManualRuntime,
  manualRuntime,
  page,
  refusal,
  type Scripted,
  type ScriptedTransport,
  scripted,
  settle,
  watching,
  widget,
  widgets,
} from './fixtures.js';
import { reflect } from './reflect.js';
import type { ReflectorEvent } from './reflector.js';

const dropped = new ConnectionError('dropped', { code: 'ECONNRESET', server: 's', sent: true });
const gone = { type: 'ERROR', object: refusal(410, 'Expired').body } as never;
const bookmark = (version: string) => event('BOOKMARK', '', version);

interface Run {
  readonly seen: string[];
  readonly transport: ScriptedTransport;
  readonly runtime: ManualRuntime;
  readonly failures: number[];
  stop(): Promise<void>;
}

/** Follows a scripted server. After the last response of the script, the server answers with a watch that sends no events. */
function follow(script: Scripted[], random = 0): Run {
  const runtime = manualRuntime(random);
  const transport = scripted(...script, watching('hang'));
  const client = createClient({ transport, runtime, limits: { retries: 0 } });
  const stop = new AbortController();
  const seen: string[] = [];
  const failures: number[] = [];
  const options = { client, runtime, kind: widgets, pageSize: 2, onFailure: (_: unknown, delayMs: number) => void failures.push(delayMs) };
  const done = (async () => {
    for await (const it of reflect(options, stop.signal)) seen.push(short(it));
  })();
  return {
    seen,
    transport,
    runtime,
    failures,
    async stop() {
      stop.abort(new Error('stopped'));
      await done;
    },
  };
}

function short(it: ReflectorEvent): string {
  switch (it.type) {
    case 'Init':
      return 'Init';
    case 'InitApply':
    case 'Apply':
    case 'Delete':
      return `${it.type} ${it.object.metadata.name}`;
    case 'InitDone':
    case 'Bookmark':
      return `${it.type} @${it.resourceVersion}`;
  }
}

const asked = (run: Run): string[] =>
  run.transport.requests.map((it) =>
    brief(it)
      .replace('GET /apis/test.io/v1/widgets', '')
      .replace(/&timeout.*/, ''),
  );

describe('reflect', () => {
  const list = page([widget('a')], '5');
  const cases: { name: string; script: Scripted[]; afterMs?: number; seen: string[]; asked: string[] }[] = [
    {
      name: 'lists page by page, then watches from the version of the list',
      script: [
        page([widget('a'), widget('b')], '5', 'more'),
        page([widget('c')], '5'),
        watching(event('ADDED', 'd', '6'), event('MODIFIED', 'a', '7'), event('DELETED', 'b', '8'), 'hang'),
      ],
      seen: ['Init', 'InitApply a', 'InitApply b', 'InitApply c', 'InitDone @5', 'Apply d', 'Apply a', 'Delete b'],
      asked: ['?limit=2', '?limit=2&continue=more', '?watch=true&resourceVersion=5&allowWatchBookmarks=true'],
    },
    {
      name: 'an empty kind is complete at once',
      script: [page([], '5')],
      seen: ['Init', 'InitDone @5'],
      asked: ['?limit=2', '?watch=true&resourceVersion=5&allowWatchBookmarks=true'],
    },
    {
      name: 'resumes after a dropped connection from the last version it saw, without a list',
      script: [list, watching(event('ADDED', 'b', '6'), dropped)],
      afterMs: 800,
      seen: ['Init', 'InitApply a', 'InitDone @5', 'Apply b'],
      asked: [
        '?limit=2',
        '?watch=true&resourceVersion=5&allowWatchBookmarks=true',
        '?watch=true&resourceVersion=6&allowWatchBookmarks=true',
      ],
    },
    {
      name: 'resumes from a bookmark',
      script: [list, watching(bookmark('90'), dropped)],
      afterMs: 800,
      seen: ['Init', 'InitApply a', 'InitDone @5', 'Bookmark @90'],
      asked: [
        '?limit=2',
        '?watch=true&resourceVersion=5&allowWatchBookmarks=true',
        '?watch=true&resourceVersion=90&allowWatchBookmarks=true',
      ],
    },
    {
      name: 'watches on at once when the server ended a watch that had delivered something',
      script: [list, watching(event('ADDED', 'b', '6'))],
      seen: ['Init', 'InitApply a', 'InitDone @5', 'Apply b'],
      asked: [
        '?limit=2',
        '?watch=true&resourceVersion=5&allowWatchBookmarks=true',
        '?watch=true&resourceVersion=6&allowWatchBookmarks=true',
      ],
    },
    {
      name: 'lists again at once when an event reports that the version is expired',
      script: [list, watching(event('ADDED', 'b', '6'), gone), page([widget('c')], '9')],
      seen: ['Init', 'InitApply a', 'InitDone @5', 'Apply b', 'Init', 'InitApply c', 'InitDone @9'],
      asked: [
        '?limit=2',
        '?watch=true&resourceVersion=5&allowWatchBookmarks=true',
        '?limit=2',
        '?watch=true&resourceVersion=9&allowWatchBookmarks=true',
      ],
    },
    {
      name: 'lists again at once when the watch is answered with 410',
      script: [list, refusal(410, 'Gone'), page([], '9')],
      seen: ['Init', 'InitApply a', 'InitDone @5', 'Init', 'InitDone @9'],
      asked: [
        '?limit=2',
        '?watch=true&resourceVersion=5&allowWatchBookmarks=true',
        '?limit=2',
        '?watch=true&resourceVersion=9&allowWatchBookmarks=true',
      ],
    },
    {
      name: 'lists with growing pauses if every list is too old to be watched from',
      script: [list, refusal(410, 'Gone'), list, refusal(410, 'Gone'), list, refusal(410, 'Gone'), page([], '9')],
      afterMs: 800 + 1600 - 1,
      seen: ['Init', 'InitApply a', 'InitDone @5', 'Init', 'InitApply a', 'InitDone @5', 'Init', 'InitApply a', 'InitDone @5'],
      asked: [list, list, list].flatMap(() => ['?limit=2', '?watch=true&resourceVersion=5&allowWatchBookmarks=true']),
    },
    {
      name: 'reads in one go when the snapshot behind the pages expired',
      script: [page([widget('a'), widget('b')], '5', 'more'), refusal(410, 'Expired'), page([widget('a'), widget('b'), widget('c')], '8')],
      seen: ['Init', 'InitApply a', 'InitApply b', 'Init', 'InitApply a', 'InitApply b', 'InitApply c', 'InitDone @8'],
      asked: ['?limit=2', '?limit=2&continue=more', '', '?watch=true&resourceVersion=8&allowWatchBookmarks=true'],
    },
    {
      name: 'starts over when a list breaks between pages',
      script: [page([widget('a'), widget('b')], '5', 'more'), dropped, page([widget('a')], '8')],
      afterMs: 800,
      seen: ['Init', 'InitApply a', 'InitApply b', 'Init', 'InitApply a', 'InitDone @8'],
      asked: ['?limit=2', '?limit=2&continue=more', '?limit=2', '?watch=true&resourceVersion=8&allowWatchBookmarks=true'],
    },
    {
      name: 'lists again when the server knows less than we do (restored from a backup)',
      script: [list, refusal(504, 'Timeout', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }), page([], '2')],
      afterMs: 800,
      seen: ['Init', 'InitApply a', 'InitDone @5', 'Init', 'InitDone @2'],
      asked: [
        '?limit=2',
        '?watch=true&resourceVersion=5&allowWatchBookmarks=true',
        '?limit=2',
        '?watch=true&resourceVersion=2&allowWatchBookmarks=true',
      ],
    },
    {
      name: 'resumes when the server is merely unwell',
      script: [list, refusal(503, 'ServiceUnavailable')],
      afterMs: 800,
      seen: ['Init', 'InitApply a', 'InitDone @5'],
      asked: [
        '?limit=2',
        '?watch=true&resourceVersion=5&allowWatchBookmarks=true',
        '?watch=true&resourceVersion=5&allowWatchBookmarks=true',
      ],
    },
  ];
  it.each(cases)('$name', async ({ script, afterMs = 0, seen, asked: wanted }) => {
    const run = follow(script);
    await run.runtime.advance(afterMs);
    expect(run.seen).toEqual(seen);
    expect(asked(run)).toEqual(wanted);
    await run.stop();
  });

  it('rests longer after each failure, up to a bound, and starts over after an event', async () => {
    const broken = watching(dropped);
    const run = follow([page([], '5'), ...Array<Scripted>(8).fill(broken), watching(event('ADDED', 'a', '6'), dropped)], 0.5);
    await run.runtime.advance(200_000);
    const doubling = [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000].map((ms) => ms * 1.5);
    expect(run.failures).toEqual([...doubling, 1_200]);
    expect(run.runtime.logged).toHaveLength(9);
    await run.stop();
  });

  it('does not race a server that ends every watch at once', async () => {
    const run = follow([page([], '5'), watching(), watching(), watching()]);
    await run.runtime.advance(799);
    expect(run.transport.requests).toHaveLength(2);
    await run.runtime.advance(100_000);
    expect(run.failures).toEqual([800, 1_600, 3_200]);
    await run.stop();
  });

  it('gives each watch a timeout of its own', async () => {
    const seconds = (request: ApiRequest | undefined): unknown => request?.query?.['timeoutSeconds'];
    const [early, late] = [follow([page([], '5')], 0), follow([page([], '5')], 0.99)];
    await settle();
    expect([seconds(early.transport.requests[1]), seconds(late.transport.requests[1])]).toEqual(['300', '597']);
    await Promise.all([early.stop(), late.stop()]);
  });

  it('notices a watch that went silent, once the server has shown that it sends bookmarks', async () => {
    const run = follow([page([], '5'), watching(bookmark('6'), 'hang')]);
    await run.runtime.advance(149_000);
    expect(run.failures).toEqual([]);
    await run.runtime.advance(2_000);
    expect(run.failures).toEqual([800]);
    expect(asked(run).at(-1)).toBe('?watch=true&resourceVersion=6&allowWatchBookmarks=true');
    await run.stop();
  });

  it('leaves a quiet watch alone until it is overdue', async () => {
    const run = follow([page([], '5'), watching('hang')]);
    await run.runtime.advance(329_000);
    expect(run.failures).toEqual([]);
    await run.runtime.advance(2_000);
    expect(run.failures).toEqual([800]);
    await run.stop();
  });

  it('requests one page ahead of the one that it delivers, and no more', async () => {
    const run = follow([page([widget('a'), widget('b')], '5', 'more')]);
    const transport = scripted(
      page([widget('a'), widget('b')], '5', 'second'),
      page([widget('c')], '5', 'third'),
      page([widget('d')], '5'),
    );
    const client = createClient({ transport, runtime: run.runtime });
    const events = reflect({ client, runtime: run.runtime, kind: widgets, pageSize: 2 }, new AbortController().signal);
    const held: string[] = [];
    for (const _ of [1, 2, 3, 4, 5]) {
      held.push(`${short((await events.next()).value as ReflectorEvent)} after ${transport.requests.length}`);
      await settle();
      held.push(String(transport.requests.length));
    }
    expect(held).toEqual([
      'Init after 0',
      '0',
      'InitApply a after 2',
      '2',
      'InitApply b after 2',
      '2',
      'InitApply c after 3',
      '3',
      'InitApply d after 3',
      '3',
    ]);
    await events.return(undefined);
    await run.stop();
  });

  it('lists again from the start if a page that it requested ahead fails, after the page before it', async () => {
    const run = follow([page([widget('a')], '5', 'more'), dropped, page([widget('a'), widget('b')], '7'), watching(dropped)]);
    await run.runtime.advance(2_000);
    await settle();
    expect(run.seen.slice(0, 6)).toEqual(['Init', 'InitApply a', 'Init', 'InitApply a', 'InitApply b', 'InitDone @7']);
    await run.stop();
  });

  it('ends quietly with its signal, in any state', async () => {
    const scripts: Scripted[][] = [[() => new Promise(() => undefined)], [page([], '5')], [page([], '5'), watching(dropped)], [dropped]];
    for (const script of scripts) {
      const run = follow(script);
      await settle();
      await run.stop();
    }
  });
});
