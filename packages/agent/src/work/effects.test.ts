import { ApiError, type KubeObject } from '@outrigger/core';
import { type Client, type EffectContext, ConnectionError, LiveObjects } from '@outrigger/kube';
import { Simulator, createVirtualRuntime } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import type { WriteInput } from './actions.js';
import { workEffects } from './effects.js';
import { APPLIED_UID, leftover, object, ref } from './fixtures.js';
import { releaseOf } from './ownership/release.js';
import type { WorkMemory } from './state.js';
import type { WorkAgent } from './work-agent.js';

const lost = (sent: boolean): Error => new ConnectionError('lost', { code: 'ECONNRESET', server: 'test', sent });

/** Creates an absent object with a request that fails with `error`. Returns the known state of the object afterwards. */
async function knownAfter(error: Error): Promise<ReturnType<LiveObjects['get']>> {
  const simulator = new Simulator({ seed: 1 });
  const runtime = createVirtualRuntime(simulator, 'agent');
  const client = {
    get: async () => {
      throw new ApiError('NotFound', 'not there');
    },
    create: async (): Promise<KubeObject> => {
      throw error;
    },
  } as unknown as Client;
  const live = new LiveObjects({ client, runtime });
  const agent = { live, kinds: { forget: () => undefined } };
  live.track('work/w', [ref('a')]);
  await simulator.advance(10);
  expect(live.get(ref('a')).state).toBe('absent');
  const input: WriteInput = {
    owner: 'work/w',
    ref: ref('a'),
    write: { type: 'create', object: object('a') },
    strategy: { type: 'Update' },
    manifest: object('a'),
    content: 'content',
  };
  const { signal } = new AbortController();
  const context: EffectContext<WorkMemory> = { client: () => client, runtime, signal, remember: () => undefined };
  await workEffects(agent as unknown as WorkAgent).write(input, context);
  const known = live.get(ref('a'));
  live.close();
  return known;
}

describe('an object whose create failed and that the work no longer names', () => {
  it.each([
    { name: 'the answer was lost', error: lost(true), want: 'wait' },
    { name: 'the request never left', error: lost(false), want: 'forget' },
    { name: 'the server gave up waiting', error: new ApiError('Timeout', 'took too long'), want: 'wait' },
    { name: 'the server broke down', error: new ApiError('InternalError', 'etcd is away'), want: 'wait' },
    { name: 'the answer could not be understood', error: new SyntaxError('no JSON'), want: 'wait' },
    { name: 'the server refused', error: new ApiError('Invalid', 'no'), want: 'forget' },
    { name: 'the server was busy', error: new ApiError('TooManyRequests', 'later'), want: 'forget' },
  ])('$name: $want', async ({ error, want }) => {
    const known = await knownAfter(error);
    expect(releaseOf(leftover('a', known, { uid: '' }), APPLIED_UID).type).toBe(want);
  });
});
