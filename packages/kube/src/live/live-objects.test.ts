import { ApiError, type ApiRequest, type Kind, type Transport } from '@outrigger/core';
import { createClient } from '../client/client.js';
import type { Client } from '../client/types.js';
import { CALM, Simulator, connect, createMemoryApi, createVirtualRuntime, viewOf } from '../../testing/index.js';
import { describe, expect, it } from 'vitest';
import { LiveObjects } from './live-objects.js';
import type { ObjectRef } from './object-ref.js';
import { TrackedObject } from './tracked-object.js';

const configMaps: Kind = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const ref = (name: string, namespace = 'ns'): ObjectRef => ({ kind: configMaps, namespace, name });

interface Setting {
  readonly simulator: Simulator;
  readonly live: LiveObjects;
  readonly person: Client;
  /** Returns the owners that were notified since the last call. */
  woken(): readonly string[];
  /** Returns the agent's requests since the last call: `GET name`, `list`, `watch`. */
  asked(): readonly string[];
  advance(ms: number): Promise<void>;
  run<T>(work: Promise<T>): Promise<T>;
}

/** `refuse` may throw the error that the server returns. */
function setting(refuse: (request: ApiRequest) => void = () => undefined, mostWatches = 50): Setting {
  const simulator = new Simulator({ seed: 1 });
  const api = createMemoryApi({ runtime: createVirtualRuntime(simulator, 'server') });
  let woken: string[] = [];
  let asked: string[] = [];
  const inner: Transport = {
    close: () => api.transport.close(),
    async send(request, signal) {
      const name = request.path.split('/configmaps/')[1];
      asked.push(request.watch ? 'watch' : name === undefined ? 'list' : `${request.method} ${name}`);
      try {
        refuse(request);
      } catch (error) {
        if (error instanceof ApiError) return { status: error.code, headers: {}, body: error.toStatus() };
        throw error;
      }
      return api.transport.send(request, signal);
    },
  };
  const clientOf = (name: string, transport: Transport): { client: Client; runtime: ReturnType<typeof createVirtualRuntime> } => {
    const runtime = createVirtualRuntime(simulator, name);
    return { runtime, client: createClient({ transport: connect(simulator, transport, { client: runtime, faults: CALM }), runtime }) };
  };
  const agent = clientOf('agent', inner);
  const live = new LiveObjects({ ...agent, mostWatches });
  live
    .source((name) => ({ name }))
    .start({
      wake: ({ name }) => woken.push(name),
      watch: () => () => undefined,
      view: viewOf(),
    });
  return {
    simulator,
    live,
    person: clientOf('person', api.transport).client,
    woken: () => woken.splice(0),
    asked: () => asked.splice(0),
    advance: (ms) => simulator.advance(ms),
    async run(work) {
      let isDone = false;
      const settled = work.finally(() => {
        isDone = true;
      });
      await simulator.runUntil(() => isDone);
      return settled;
    },
  };
}

const configMap = (name: string, data: Record<string, string>): never =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ns' }, data }) as never;
const dataOf = ({ live }: Setting, name: string): unknown => {
  const found = live.get(ref(name));
  return found.state === 'present' ? (found.object as { data?: unknown }).data : found.state;
};

describe('live objects', () => {
  it('are unknown until an owner tracks them, then read once, then cause no request', async () => {
    const it_ = setting();
    await it_.run(it_.person.create(configMaps, configMap('a', { x: '1' })));
    expect(dataOf(it_, 'a')).toBe('unknown');
    it_.live.track('work/w', [ref('a'), ref('b')]);
    await it_.advance(1000);
    expect([dataOf(it_, 'a'), dataOf(it_, 'b')]).toEqual([{ x: '1' }, 'absent']);
    expect(it_.woken()).toEqual(['work/w', 'work/w']);
    expect([...it_.asked()].sort()).toEqual(['GET a', 'GET b', 'list', 'watch']);
    await it_.advance(250_000);
    expect(it_.asked()).toEqual([]);
  });

  it('are read when a watch reports a change, and absent when it reports a deletion', async () => {
    const it_ = setting();
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(1000);
    it_.asked();
    it_.woken();
    await it_.run(it_.person.create(configMaps, configMap('a', { x: '1' })));
    await it_.run(it_.person.create(configMaps, configMap('not-ours', {})));
    await it_.advance(1000);
    expect(dataOf(it_, 'a')).toEqual({ x: '1' });
    expect(it_.asked()).toEqual(['GET a']);
    await it_.run(it_.person.delete(configMaps, { namespace: 'ns', name: 'a' }));
    await it_.advance(1000);
    expect(dataOf(it_, 'a')).toBe('absent');
    expect(it_.asked()).toEqual([]);
    expect(it_.woken()).toEqual(['work/w', 'work/w']);
  });

  it('show our own writes at once, without another read', async () => {
    const it_ = setting();
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(1000);
    it_.asked();
    const written = await it_.run(it_.person.create(configMaps, configMap('a', { x: '1' })));
    it_.live.wrote(ref('a'), written);
    expect(dataOf(it_, 'a')).toEqual({ x: '1' });
    await it_.advance(1000);
    expect(it_.asked()).toEqual([]);
  });

  it('that change all the time are read twice a second', async () => {
    const it_ = setting();
    await it_.run(it_.person.create(configMaps, configMap('a', {})));
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(2000);
    it_.asked();
    for (let i = 0; i < 500; i++) {
      await it_.run(it_.person.patch(configMaps, { namespace: 'ns', name: 'a' }, { type: 'merge', patch: { data: { x: String(i) } } }));
      await it_.advance(18);
    }
    await it_.advance(2000);
    expect(it_.asked().length).toBeLessThanOrEqual(24);
    expect(dataOf(it_, 'a')).toEqual({ x: '499' });
  });

  it('of two works are watched until neither tracks them', async () => {
    const it_ = setting();
    it_.live.track('work/v', [ref('a')]);
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(100);
    expect(it_.live.watchCount).toBe(1);
    await it_.run(it_.person.create(configMaps, configMap('a', {})));
    await it_.advance(1000);
    expect([...new Set(it_.woken())].sort()).toEqual(['work/v', 'work/w']);
    it_.live.track('work/v', []);
    await it_.advance(100);
    expect([it_.live.watchCount, it_.live.isOwner('work/v'), it_.live.isTracking('work/w', ref('a'))]).toEqual([1, false, true]);
    it_.live.track('work/w', []);
    await it_.advance(100);
    expect([it_.live.watchCount, it_.live.get(ref('a')).state]).toEqual([0, 'unknown']);
  });

  it('that may not be watched are read every few minutes, until they may be', async () => {
    let isAllowed = false;
    const it_ = setting(({ path }) => {
      if (!isAllowed && path.endsWith('/configmaps')) throw new ApiError('Forbidden', 'configmaps is forbidden');
    });
    await it_.run(it_.person.create(configMaps, configMap('a', { x: '1' })));
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(2000);
    expect([dataOf(it_, 'a'), it_.live.watchCount]).toEqual([{ x: '1' }, 0]);
    await it_.run(it_.person.patch(configMaps, { namespace: 'ns', name: 'a' }, { type: 'merge', patch: { data: { x: '2' } } }));
    await it_.advance(7 * 60_000);
    expect(dataOf(it_, 'a')).toEqual({ x: '2' });
    isAllowed = true;
    await it_.advance(7 * 60_000);
    expect(it_.live.watchCount).toBe(1);
  });

  it('are read at once when their kind is not served any more', async () => {
    let isServed = true;
    const it_ = setting(({ path }) => {
      if (!isServed && path.includes('/configmaps')) throw new ApiError('NotFound', 'the server could not find the requested resource');
    });
    await it_.run(it_.person.create(configMaps, configMap('a', { x: '1' })));
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(2000);
    isServed = false;
    // The open watch runs until the server ends it, which takes at most ten minutes.
    for (let minutes = 0; minutes < 11 && it_.live.watchCount > 0; minutes++) await it_.advance(60_000);
    await it_.advance(2000);
    expect(it_.live.get(ref('a')).state).toBe('absent');
  });

  it('beyond the maximum of watches are read every few minutes too', async () => {
    const it_ = setting(undefined, 2);
    it_.live.track(
      'work/w',
      ['n1', 'n2', 'n3'].map((namespace) => ref('a', namespace)),
    );
    await it_.advance(1000);
    expect(it_.live.watchCount).toBe(2);
    it_.asked();
    await it_.advance(6.5 * 60_000);
    expect(it_.asked().filter((it) => it === 'GET a')).toEqual(['GET a']);
    it_.live.track('work/w', [ref('a', 'n3')]);
    await it_.advance(100);
    expect(it_.live.watchCount).toBe(1);
  });

  it('that the server will not show are unreadable, and tried again', async () => {
    let isAllowed = false;
    const it_ = setting(({ path }) => {
      if (!isAllowed && path.endsWith('/a')) throw new ApiError('Forbidden', 'a is forbidden');
    });
    await it_.run(it_.person.create(configMaps, configMap('a', { x: '1' })));
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(500);
    expect(it_.live.get(ref('a'))).toEqual({ state: 'unreadable', error: 'a is forbidden' });
    isAllowed = true;
    await it_.advance(5000);
    expect(dataOf(it_, 'a')).toEqual({ x: '1' });
  });

  it('keep their known state while the server does not respond for a short time', async () => {
    let isAway = false;
    const it_ = setting(() => {
      if (isAway) throw new ApiError('InternalError', 'etcd is away');
    });
    await it_.run(it_.person.create(configMaps, configMap('a', { x: '1' })));
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(1000);
    isAway = true;
    await it_.run(it_.person.patch(configMaps, { namespace: 'ns', name: 'a' }, { type: 'merge', patch: { data: { x: '2' } } }));
    await it_.advance(1500);
    expect(dataOf(it_, 'a')).toEqual({ x: '1' });
    isAway = false;
    await it_.advance(60_000);
    expect(dataOf(it_, 'a')).toEqual({ x: '2' });
  });

  it('that a list no longer shows are read again though an older answer of ours comes after it', async () => {
    let isThere = true;
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u', resourceVersion: '5' } };
    const simulator = new Simulator({ seed: 1 });
    const get = async (): Promise<unknown> => {
      if (isThere) return object;
      throw new ApiError('NotFound', 'gone');
    };
    const client = { get } as unknown as Client;
    const tracked = new TrackedObject({
      ref: ref('a'),
      client,
      runtime: createVirtualRuntime(simulator, 'agent'),
      changed: () => undefined,
    });
    tracked.noteChange();
    await simulator.advance(10);
    isThere = false;
    tracked.noteChange();
    tracked.learn({ ...object, metadata: { ...object.metadata, resourceVersion: '6', deletionTimestamp: 'now' } });
    await simulator.advance(2_000);
    expect(tracked.live).toEqual({ state: 'absent' });
  });

  describe('when the answer to a write comes after newer news', () => {
    const at = (resourceVersion: string, more = {}): never =>
      ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u', resourceVersion, ...more } }) as never;
    const deleting = at('6', { deletionTimestamp: 'now' });

    /** Tracks an object that was read at resourceVersion 5. `server` determines the later state on the server. */
    async function tracking(): Promise<{ tracked: TrackedObject; simulator: Simulator; server: { object: object | undefined } }> {
      const server: { object: object | undefined } = { object: at('5') };
      const simulator = new Simulator({ seed: 1 });
      const get = async (): Promise<unknown> => {
        if (server.object) return server.object;
        throw new ApiError('NotFound', 'gone');
      };
      const runtime = createVirtualRuntime(simulator, 'agent');
      const tracked = new TrackedObject({ ref: ref('a'), client: { get } as unknown as Client, runtime, changed: () => undefined });
      tracked.noteChange();
      await simulator.advance(1_000);
      return { tracked, simulator, server };
    }

    it.each([
      ['a watch reported the deletion', (tracked: TrackedObject): void => tracked.noteGone('u')],
      ['a read found it absent', (tracked: TrackedObject): void => tracked.noteChange()],
      ['the delete was answered', (tracked: TrackedObject): void => tracked.learn(undefined)],
    ])('stay absent after %s', async (_, gone) => {
      const { tracked, simulator, server } = await tracking();
      server.object = undefined;
      gone(tracked);
      await simulator.advance(1_000);
      tracked.learn(deleting);
      await simulator.advance(1_000);
      expect(tracked.live).toEqual({ state: 'absent' });
      tracked.learn(at('8', { uid: 'next' }));
      expect(tracked.live).toEqual({ state: 'present', object: at('8', { uid: 'next' }) });
    });

    it('stay at the newer revision', async () => {
      const { tracked, simulator, server } = await tracking();
      server.object = at('7');
      tracked.noteChange('7');
      await simulator.advance(1_000);
      tracked.learn(at('6'));
      await simulator.advance(1_000);
      expect(tracked.live).toEqual({ state: 'present', object: at('7') });
    });
  });

  it('are unknown after a write without an answer, until they were read again', async () => {
    const it_ = setting();
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(1000);
    expect(dataOf(it_, 'a')).toBe('absent');
    await it_.run(it_.person.create(configMaps, configMap('a', { x: '1' })));
    it_.woken();
    it_.live.doubt(ref('a'));
    expect([dataOf(it_, 'a'), it_.woken()]).toEqual(['unknown', ['work/w']]);
    await it_.advance(1000);
    expect([dataOf(it_, 'a'), it_.woken()]).toEqual([{ x: '1' }, ['work/w']]);
  });

  it('are not absent for good while a create without an answer may still arrive', async () => {
    const it_ = setting();
    it_.live.track('work/w', [ref('a')], [ref('a')]);
    await it_.advance(1_000);
    expect(it_.live.get(ref('a'))).toEqual({ state: 'absent', mayCome: true });
    await it_.advance(31_000);
    expect(it_.live.get(ref('a'))).toEqual({ state: 'absent' });
    it_.live.doubt(ref('a'));
    await it_.advance(1_000);
    expect(it_.live.get(ref('a'))).toEqual({ state: 'absent', mayCome: true });
    await it_.run(it_.person.create(configMaps, configMap('a', { late: '1' })));
    await it_.advance(1_000);
    expect(dataOf(it_, 'a')).toEqual({ late: '1' });
    it_.asked();
    await it_.advance(60_000);
    expect(it_.asked().filter((request) => request.startsWith('GET')).length).toBeLessThan(2);
    // Listing an object in `unborn` has no effect if this process already tracks the object.
    it_.live.track('work/v', [ref('a')], [ref('a')]);
    await it_.run(it_.person.delete(configMaps, { namespace: 'ns', name: 'a' }));
    await it_.advance(1_000);
    expect(it_.live.get(ref('a'))).toEqual({ state: 'absent' });
  });

  describe('in doubt', () => {
    const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'new', resourceVersion: '9' } };
    /** The server answers each read after 100 ms with the state that it had when the read arrived. */
    const doubted = (): { tracked: TrackedObject; simulator: Simulator; seen: string[]; make(): void } => {
      const simulator = new Simulator({ seed: 1 });
      const runtime = createVirtualRuntime(simulator, 'agent');
      const seen: string[] = [];
      let isThere = false;
      const get = async (): Promise<unknown> => {
        const answer = isThere ? made : undefined;
        await runtime.timers.sleep(100);
        if (answer) return answer;
        throw new ApiError('NotFound', 'gone');
      };
      const client = { get } as unknown as Client;
      const tracked: TrackedObject = new TrackedObject({ ref: ref('a'), client, runtime, changed: () => seen.push(tracked.live.state) });
      return { tracked, simulator, seen, make: () => (isThere = true) };
    };

    it('ignore the response to a read that was sent before the write', async () => {
      const { tracked, simulator, seen, make } = doubted();
      tracked.noteChange();
      await simulator.advance(50);
      make();
      tracked.doubt();
      await simulator.advance(2_000);
      expect(seen).toEqual(['present']);
    });

    it('ignore a late event that an earlier object of that name was deleted', async () => {
      const { tracked, simulator, seen, make } = doubted();
      tracked.noteChange();
      await simulator.advance(200);
      make();
      tracked.doubt();
      tracked.noteGone('old');
      await simulator.advance(2_000);
      expect(seen).toEqual(['absent', 'unknown', 'present']);
    });
  });

  it('end with the agent', async () => {
    const it_ = setting();
    it_.live.track('work/w', [ref('a')]);
    await it_.advance(1000);
    it_.live.close();
    it_.asked();
    await it_.run(it_.person.create(configMaps, configMap('a', {})));
    await it_.advance(60_000);
    expect(it_.asked()).toEqual([]);
  });
});
