import { ApiError, keyOf } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client/client.js';
import type { Discovery } from '../client/discovery.js';
import type { Client } from '../client/types.js';
import type { EventIntent } from '../decision.js';
import { unfenced } from '../leader/fence.js';
import { PARENTS } from '../runtime/fixtures.js';
import { createMemoryApi, type MemoryApi } from '../../testing/memory-api.js';
import { CALM, connect, type Faults } from '../../testing/network.js';
import { Simulator } from '../../testing/simulator.js';
import { createVirtualRuntime } from '../../testing/virtual-runtime.js';
import { type CoreEvent, createEventRecorder, EVENTS, type EventRecorder } from './recorder.js';

function setup(): {
  simulator: Simulator;
  api: MemoryApi;
  recorder: EventRecorder;
  hub: Client;
  faults: Faults;
  events: () => CoreEvent[];
  writes: () => number;
} {
  const simulator = new Simulator({ seed: 1 });
  const api = createMemoryApi({ runtime: createVirtualRuntime(simulator, 'server') });
  const runtime = createVirtualRuntime(simulator, 'hub');
  const faults: Faults = { ...CALM };
  const hub = createClient({ transport: connect(simulator, api.transport, { client: runtime, faults }), runtime });
  const recorder = createEventRecorder({ runtime, apis: { hub }, component: 'outrigger-hub', fence: unfenced });
  return { simulator, api, recorder, hub, faults, events: () => api.objects('v1/events') as CoreEvent[], writes: () => api.history.length };
}

/**
 * Creates a recorder for a server whose discovery returns `served.version` as the preferred version of a kind. If `served.version` is
 * undefined, the discovery fails.
 */
function withDiscovery(): Pick<ReturnType<typeof setup>, 'simulator' | 'events'> & {
  record: EventRecorder['record'];
  served: { version?: string; reads: number };
} {
  const simulator = new Simulator({ seed: 1 });
  const runtime = createVirtualRuntime(simulator, 'hub');
  const api = createMemoryApi({ runtime });
  const served: { version?: string; reads: number } = { reads: 0 };
  const kindOf: Discovery['kindOf'] = async () => {
    served.reads++;
    if (served.version === undefined) throw new ApiError('Forbidden', 'no');
    return { ...PARENTS, version: served.version };
  };
  const client = createClient({ transport: api.transport, runtime });
  const hub: Client = { ...client, discovery: { ...client.discovery, kindOf } };
  const { record } = createEventRecorder({ runtime, apis: { hub }, component: 'outrigger-hub', fence: unfenced });
  return { simulator, events: () => api.objects('v1/events') as CoreEvent[], record, served };
}

function intent(overrides: Partial<EventIntent> = {}, name = 'a'): EventIntent {
  const regarding = { kind: PARENTS, key: { namespace: 'toy', name }, uid: `uid-${name}` };
  return { api: 'hub', regarding, type: 'Normal', reason: 'Installed', message: 'all is well', ...overrides };
}

describe('event recorder', () => {
  it('writes an event beside the object it is about', async () => {
    const { simulator, recorder, events } = setup();
    recorder.record(intent());
    await simulator.advance(100);
    expect(events()).toMatchObject([
      {
        metadata: { namespace: 'toy' },
        involvedObject: { apiVersion: 'toy.dev/v1', kind: 'Parent', name: 'a', namespace: 'toy', uid: 'uid-a' },
        reason: 'Installed',
        message: 'all is well',
        count: 1,
        source: { component: 'outrigger-hub' },
      },
    ]);
  });

  it('names the version that the server prefers now, because clients look for Events by it', async () => {
    const { simulator, events, record, served } = withDiscovery();
    const about = async (name: string): Promise<string | undefined> => {
      record(intent({}, name));
      await simulator.advance(100);
      return events().find(({ involvedObject }) => involvedObject.name === name)?.involvedObject.apiVersion;
    };
    expect(await about('a'), 'the server does not say').toBe('toy.dev/v1');
    served.version = 'v2';
    await simulator.advance(10 * 60_000);
    expect(await about('b')).toBe('toy.dev/v2');
    served.version = 'v3';
    expect(await about('c'), 'it is not read for every Event').toBe('toy.dev/v2');
    expect(served.reads).toBe(2);
  });

  it('counts repetitions and writes them at most once a minute', async () => {
    const { simulator, recorder, events, writes } = setup();
    for (let second = 0; second < 150; second++) {
      recorder.record(intent());
      await simulator.advance(1000);
    }
    expect(writes()).toBe(3);
    await simulator.advance(60_000);
    expect(events()).toMatchObject([{ count: 150, message: 'all is well' }]);
  });

  it('never merges different messages, and writes one of them a minute', async () => {
    const { simulator, recorder, events, writes } = setup();
    for (const version of ['v1', 'v2', 'v3', 'v2']) recorder.record(intent({ message: `to ${version}` }));
    await simulator.advance(1000);
    expect(events().map(({ message }) => message)).toEqual(['to v1']);
    await simulator.advance(120_000);
    expect(writes()).toBe(3);
    expect(
      events()
        .map(({ message, count }) => `${message} x${count}`)
        .sort(),
    ).toEqual(['to v1 x1', 'to v2 x2', 'to v3 x1']);
  });

  it('writes different milestones at once, and repetitions of one at most once a minute', async () => {
    const { simulator, recorder, events, writes } = setup();
    for (const version of ['v1', 'v2', 'v3', 'v2']) {
      recorder.record(intent({ message: `to ${version}`, isMilestone: true }));
      await simulator.advance(1000);
    }
    expect(
      events()
        .map(({ message }) => message)
        .sort(),
    ).toEqual(['to v1', 'to v2', 'to v3']);
    await simulator.advance(60_000);
    expect(writes()).toBe(4);
    expect(events().find(({ message }) => message === 'to v2')?.count).toBe(2);
  });

  it('a message that changes all the time is written as rarely as one that stays', async () => {
    const { simulator, recorder, events, writes } = setup();
    for (let second = 0; second < 150; second++) {
      recorder.record(intent({ message: `attempt ${second}` }));
      await simulator.advance(1000);
    }
    expect(writes()).toBe(3);
    await simulator.advance(10 * 60_000);
    expect(writes()).toBeLessThanOrEqual(8);
    expect(events().at(-1)).toMatchObject({ message: 'attempt 149', count: 1 });
  });

  it('writes separate Events for different reasons, types and objects', async () => {
    const { simulator, recorder, events } = setup();
    recorder.record(intent());
    recorder.record(intent({ reason: 'Upgraded' }));
    recorder.record(intent({ type: 'Warning' }));
    recorder.record(intent({}, 'b'));
    await simulator.advance(100);
    expect(events()).toHaveLength(4);
  });

  it('starts a new event after ten quiet minutes', async () => {
    const { simulator, recorder, events } = setup();
    recorder.record(intent());
    await simulator.advance(11 * 60_000);
    recorder.record(intent());
    await simulator.advance(100);
    expect(events().map(({ count }) => count)).toEqual([1, 1]);
  });

  it('drops Events beyond its rate, so that a flood does not reach the API server', async () => {
    const { simulator, recorder, writes } = setup();
    for (let i = 0; i < 1000; i++) recorder.record(intent({}, `object-${i}`));
    await simulator.advance(1000);
    expect(writes()).toBe(50);
  });

  it('a lost event has no effect', async () => {
    const { simulator, recorder, faults, events } = setup();
    faults.dropBefore = 1;
    recorder.record(intent());
    await simulator.advance(60_000);
    expect(events()).toEqual([]);
    faults.dropBefore = 0;
    recorder.record(intent());
    await simulator.advance(60_000);
    expect(events()).toMatchObject([{ count: 2 }]);
  });

  it.each([
    { name: 'the create never arrived', lost: 'dropBefore', write: 1 },
    { name: 'the response of the create was lost', lost: 'dropAfter', write: 1 },
    { name: 'an update never arrived', lost: 'dropBefore', write: 2 },
    { name: 'the response of an update was lost', lost: 'dropAfter', write: 2 },
  ] as const)('counts on in the same Event although $name', async ({ lost, write }) => {
    const { simulator, recorder, faults, events } = setup();
    for (let minute = 1; minute <= 5; minute++) {
      faults[lost] = minute === write ? 1 : 0;
      recorder.record(intent());
      await simulator.advance(60_000);
    }
    expect(events()).toMatchObject([{ count: 5 }]);
  });

  it('writes a new Event with the whole count if the API server has deleted the old one', async () => {
    const { simulator, recorder, hub, events } = setup();
    for (let minute = 1; minute <= 5; minute++) {
      recorder.record(intent());
      await simulator.advance(60_000);
      if (minute !== 2) continue;
      for (const event of events()) void hub.delete(EVENTS, keyOf(event));
      await simulator.advance(100);
    }
    expect(events()).toMatchObject([{ count: 5 }]);
  });

  it('names an event within the limit of a name', async () => {
    const { simulator, recorder, events } = setup();
    recorder.record(intent({}, 'x'.repeat(253)));
    await simulator.advance(100);
    expect(events()[0]?.metadata.name?.length).toBeLessThanOrEqual(253);
  });
});
