import {
  addressOf,
  type FleetDelta,
  encodeFleet,
  parseStreamQuery,
  type StreamMessage,
  type ViewRequest,
} from '@outrigger/console-contract';
import { syntheticFleet } from '@outrigger/console-contract/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { errorOf, GoneError, RefusedError } from '../adapters/request.js';
import type { Fleet } from '../fleet/fleet.js';
import type { StreamEvents } from '../adapters/event-stream.js';
import { LiveViews, type Shown } from './live-views.js';

const FLEET: ViewRequest = { view: 'fleet' };
const SUMMARY: ViewRequest = { view: 'summary' };
const HELLO: ViewRequest = { view: 'add-on', addOn: 'hello' };
const SESSION = '/api/session';

/** A simulated server process, or a proxy that responds in place of the server. */
interface Process {
  epoch: string;
  sequence: number;
  /** The content of each view except the fleet. */
  text: string;
  /** The error responses by address; `*` stands for every address. */
  readonly errors: Map<string, Error>;
}

interface Streamed extends StreamEvents {
  readonly address: string;
  isClosed: boolean;
}

let live: LiveViews;
let server: Process;
let asked: string[];
let streams: Streamed[];
let reports: string[];
let held: { readonly address: string; readonly release: () => void }[];
let isHolding: boolean;
let isHidden: boolean;
let nowMs: number;
let timers: { readonly at: number; readonly act: () => void }[];

beforeEach(() => {
  server = { epoch: 'first', sequence: 500, text: 'old', errors: new Map() };
  [asked, streams, reports, held, timers] = [[], [], [], [], []];
  [isHolding, isHidden, nowMs] = [false, false, 1_000];
  live = new LiveViews(
    {
      nowMs: () => nowMs,
      after(delayMs, act) {
        const timer = { at: nowMs + delayMs, act };
        timers.push(timer);
        return () => {
          timers = timers.filter((one) => one !== timer);
        };
      },
      nextFrame: (act) => void timers.push({ at: nowMs, act }),
      isHidden: () => isHidden,
      async getJson(address) {
        asked.push(address);
        const answer = answerOf(address);
        if (isHolding) await new Promise<void>((release) => held.push({ address, release }));
        if (answer instanceof Error) throw answer;
        return answer;
      },
      openStream(address, events) {
        const stream = { ...events, address, isClosed: false };
        streams.push(stream);
        return { close: () => void (stream.isClosed = true) };
      },
    },
    {
      found: () => void reports.push('found'),
      lost: () => void reports.push('lost'),
      signedOut: (message) => void reports.push(`signed out: ${message}`),
      recovered: () => void reports.push('recovered'),
    },
  );
});

/** The response of the server process at the time of the request. */
function answerOf(address: string): unknown {
  const error = server.errors.get(address) ?? server.errors.get('*');
  if (error !== undefined) return error;
  const { epoch, sequence, text } = server;
  if (address === SESSION) return {};
  if (address === '/api/fleet') return encodeFleet({ ...syntheticFleet({ clusters: 3, addOns: 1 }), epoch, sequence });
  return { epoch, sequence, data: text };
}

function restart(changes: Partial<Process> = {}): void {
  server = { epoch: 'second', sequence: 3, text: 'new', errors: new Map(), ...changes };
}

/** Lets all responses arrive and runs the timers that are due within the time. */
async function pass(ms = 0): Promise<void> {
  const end = nowMs + ms;
  for (;;) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    if (next === undefined) break;
    timers = timers.filter((one) => one !== next);
    nowMs = Math.max(nowMs, next.at);
    next.act();
  }
  nowMs = end;
}

async function watch<Data>(request: ViewRequest): Promise<() => Shown<Data>> {
  const { store } = live.watch(request);
  await pass();
  return () => store.get() as Shown<Data>;
}

function openStreams(): readonly Streamed[] {
  return streams.filter(({ isClosed }) => !isClosed);
}

async function hear(...messages: readonly StreamMessage[]): Promise<void> {
  for (const message of messages) openStreams()[0]?.heard(JSON.stringify(message));
  await pass();
}

/** The positions from which the open stream resumes its views. */
function resumed(): unknown {
  return parseStreamQuery(openStreams()[0]?.address.split('?')[1] ?? '')?.map(({ since }) => `${since?.epoch} ${since?.sequence}`);
}

function delta(from: number, sequence: number): FleetDelta {
  return {
    from,
    sequence,
    removed: [],
    rows: [{ cluster: 'cluster-00001', cells: { hello: { state: 'failed', version: '', target: '', reason: `${from}` } } }],
  };
}

const start = (): StreamMessage => ({ type: 'start', epoch: server.epoch });

describe('a stream', () => {
  it('resumes each view at its own position, whichever process it came from', async () => {
    await watch(SUMMARY);
    restart();
    await watch(HELLO);
    expect(openStreams()).toHaveLength(1);
    expect(resumed()).toEqual(['first 500', 'second 3']);
  });

  it('advances the position of a view to the process that sent its content', async () => {
    const shown = await watch<string>(SUMMARY);
    restart();
    await hear(start(), { type: 'view', view: '/api/summary', sequence: 4, data: 'newer' as never });
    expect(shown().data).toBe('newer');
    await watch(HELLO);
    expect(resumed()).toEqual(['second 4', 'second 3']);
  });

  it.each([
    ['is silent, as after the machine slept', () => void (nowMs += 30_000)],
    ['fails, as when a proxy cuts it', () => openStreams()[0]?.failed()],
    ['ends because the server stops', () => openStreams()[0]?.heard('{"type":"end","reason":"server-stops","message":""}')],
  ])('that %s makes the page read every view and the session again', async (_name, happens) => {
    const [summary, hello] = [await watch<string>(SUMMARY), await watch<string>(HELLO)];
    restart();
    asked = [];
    happens();
    live.tick();
    await pass();
    expect(asked).toEqual([SESSION, '/api/summary', '/api/addons/hello']);
    expect([summary().data, hello().data]).toEqual(['new', 'new']);
    expect(resumed()).toEqual(['second 3', 'second 3']);
    expect(reports).toContain('recovered');
  });

  it('of a server that does not know the session leads to the sign-in', async () => {
    await watch(SUMMARY);
    restart({ errors: new Map([['*', new RefusedError({ code: 'unauthorized', message: 'sign in' })]]) });
    openStreams()[0]?.failed();
    await pass(60_000);
    expect(reports.at(-1)).toBe('signed out: sign in');
    expect(openStreams()).toEqual([]);
  });

  it('that is cut right after each start is opened again with growing pauses', async () => {
    await watch(SUMMARY);
    const opened = streams.length;
    for (let at = 0; at < 60; at++) {
      await hear(start());
      openStreams()[0]?.failed();
      await pass(1_000);
    }
    expect(streams.length - opened).toBeLessThan(20);
    await hear(start(), { type: 'beat', sequence: 3 });
    const before = streams.length;
    openStreams()[0]?.failed();
    await pass();
    expect(streams).toHaveLength(before + 1);
  });
});

describe('a request', () => {
  it('that was pending at a gap is followed by another, because its answer may be that of the process before', async () => {
    const shown = await watch<string>(SUMMARY);
    isHolding = true;
    live.askAgain(SUMMARY);
    await pass();
    restart();
    await hear(start(), { type: 'gap', view: '/api/summary', sequence: 3 });
    isHolding = false;
    held[0]?.release();
    await pass();
    expect(shown().data).toBe('new');
    await watch(HELLO);
    expect(resumed()).toEqual(['second 3', 'second 3']);
  });

  it('that is answered after a newer message does not replace it', async () => {
    const shown = await watch<string>(SUMMARY);
    isHolding = true;
    live.askAgain(SUMMARY);
    await pass();
    await hear(start(), { type: 'view', view: '/api/summary', sequence: 501, data: 'newer' as never });
    held[0]?.release();
    await pass();
    expect(shown().data).toBe('newer');
  });

  it.each(['failed', 'not-ready'] as const)('that is refused as %s is sent again, until it is answered', async (code) => {
    server.errors.set('/api/summary', new RefusedError({ code, message: 'not now' }));
    const shown = await watch<string>(SUMMARY);
    expect(shown()).toMatchObject({ data: undefined, error: { code } });
    await pass(30_000);
    server.errors.clear();
    await pass(5_000);
    expect(shown()).toEqual({ data: 'old', error: undefined });
    asked = [];
    await pass(60_000);
    expect(asked).toEqual([]);
  });

  it.each(['forbidden', 'not-found', 'too-large'] as const)('that is refused as %s is not sent again', async (code) => {
    server.errors.set('/api/summary', new RefusedError({ code, message: 'no' }));
    await watch(SUMMARY);
    await pass(60_000);
    expect(asked).toEqual(['/api/summary']);
  });

  it('of a view that left the page is not sent again', async () => {
    server.errors.set('/api/summary', new RefusedError({ code: 'failed', message: 'not now' }));
    const { stop } = live.watch(SUMMARY);
    await pass();
    stop();
    await pass(60_000);
    expect(asked).toEqual(['/api/summary']);
  });
});

describe('a view that a proxy does not get from the server', () => {
  const timeout = (): Error => errorOf(504, '<html>Gateway Timeout</html>');

  it('is requested again alone, and shows its own error until then', async () => {
    const summary = await watch<string>(SUMMARY);
    server.errors.set(addressOf(HELLO), timeout());
    const hello = await watch<string>(HELLO);
    await pass(60_000);
    expect(hello()).toEqual({ data: undefined, error: { code: 'failed', message: 'the server answered 504' } });
    expect(summary()).toEqual({ data: 'old', error: undefined });
    expect(asked.filter((address) => address !== addressOf(HELLO))).toEqual(['/api/summary']);
    expect(asked.length).toBeLessThanOrEqual(2 + 60_000 / 5_000);
    expect(streams.map(({ isClosed }) => isClosed)).toEqual([false]);
    server.errors.clear();
    await pass(5_000);
    expect(hello()).toEqual({ data: 'old', error: undefined });
    expect(resumed()).toEqual(['first 500', 'first 500']);
  });

  it('does not hide a server that is gone, which the stream shows', async () => {
    await watch<string>(SUMMARY);
    server.errors.set('*', timeout());
    await watch<string>(HELLO);
    expect(reports).not.toContain('lost');
    openStreams()[0]?.failed();
    await pass();
    expect(reports).toContain('lost');
    restart();
    await pass(5_000);
    expect(reports).toContain('recovered');
  });
});

describe('an error on the stream', () => {
  it.each([
    ['forbidden', undefined],
    ['not-found', undefined],
    ['too-large', 'old'],
  ] as const)('%s leaves the content %s', async (code, data) => {
    const shown = await watch<string>(SUMMARY);
    await hear(start(), { type: 'error', view: '/api/summary', error: { code, message: 'no' } });
    expect(shown()).toEqual({ data, error: { code, message: 'no' } });
  });
});

describe('a delta of the fleet', () => {
  const reason = (fleet: Fleet | undefined) => fleet?.texts.at(fleet.reasons[1]);

  it('of the process that sent the snapshot is applied', async () => {
    const shown = await watch<Fleet>(FLEET);
    await hear(start(), { type: 'fleet', delta: delta(500, 501) });
    expect(shown().data).toMatchObject({ epoch: 'first', sequence: 501 });
    expect(asked).toEqual(['/api/fleet']);
  });

  it('of another process is not applied, even if its numbers match; the fleet is read again', async () => {
    const shown = await watch<Fleet>(FLEET);
    restart({ sequence: 501 });
    await hear(start(), { type: 'fleet', delta: delta(500, 501) });
    expect(shown().data).toMatchObject({ epoch: 'second', sequence: 501 });
    expect(reason(shown().data)).not.toBe('500');
    expect(asked).toEqual(['/api/fleet', '/api/fleet']);
  });

  it('that arrives while the snapshot is read after a gap is applied to the snapshot', async () => {
    const shown = await watch<Fleet>(FLEET);
    restart({ sequence: 10 });
    isHolding = true;
    await hear(start(), { type: 'gap', view: '/api/fleet', sequence: 10 }, { type: 'fleet', delta: delta(10, 11) });
    held[0]?.release();
    await pass();
    expect(shown().data).toMatchObject({ epoch: 'second', sequence: 11 });
    expect(asked).toEqual(['/api/fleet', '/api/fleet']);
  });

  it('that was not applied when its stream ended is left to the next stream', async () => {
    const shown = await watch<Fleet>(FLEET);
    const [stream] = openStreams();
    stream?.heard(JSON.stringify(start()));
    stream?.heard(JSON.stringify({ type: 'fleet', delta: delta(500, 501) }));
    live.watch(HELLO);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(resumed()).toEqual(['first 500', 'first 500']);
    await pass();
    expect(shown().data).toMatchObject({ sequence: 500 });
    await hear(start(), { type: 'fleet', delta: delta(500, 501) });
    expect(shown().data).toMatchObject({ sequence: 501 });
  });
});

describe('a tab in the background', () => {
  it('sends no request while the server is gone, and recovers when it is shown', async () => {
    const shown = await watch<string>(SUMMARY);
    server.errors.set('*', new GoneError('gone'));
    openStreams()[0]?.failed();
    await pass();
    expect(reports).toContain('lost');
    isHidden = true;
    live.visibilityChanged();
    asked = [];
    await pass(600_000);
    expect(asked).toEqual([]);
    restart();
    isHidden = false;
    live.visibilityChanged();
    await pass();
    expect(shown().data).toBe('new');
    expect(openStreams()).toHaveLength(1);
  });

  it('resumes its views at their positions when it is shown', async () => {
    await watch(SUMMARY);
    isHidden = true;
    live.visibilityChanged();
    expect(openStreams()).toEqual([]);
    restart();
    isHidden = false;
    live.visibilityChanged();
    await pass();
    expect(resumed()).toEqual(['first 500']);
  });
});
