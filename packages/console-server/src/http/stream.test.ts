import { FLEET_ROLLOUT } from '@outrigger/api';
import type { FollowedView, Position, StreamMessage, ViewData, ViewRequest } from '@outrigger/console-contract';
import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { Simulator, createVirtualRuntime } from '@outrigger/kube/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Session, Sessions, type TokenClient } from '../sessions/sessions.js';
import { ConsoleState } from '../state/state.js';
import { SEES_ALL } from '../views/sight.js';
import { Stream } from './stream.js';
import { createViewCache } from './view-cache.js';

const VIEWS: readonly ViewRequest[] = [
  { view: 'fleet' },
  { view: 'summary' },
  { view: 'add-on', addOn: 'hello' },
  { view: 'rollout', addOn: 'hello' },
  { view: 'cluster', cluster: 'c1' },
  { view: 'cell', cluster: 'c1', addOn: 'hello' },
  { view: 'activity' },
];
const session: Session = {
  identity: { user: 'me', uid: '', groups: [], extra: {} },
  client: {} as Session['client'],
  sight: { ...SEES_ALL, fingerprint: '' },
  mayChangeAddOns: true,
};

let simulator: Simulator;
let state: ConsoleState;

beforeEach(() => {
  simulator = new Simulator({ seed: 1 });
  state = new ConsoleState();
  for (const name of ['c1', 'c2', 'c3']) addCluster(name);
});

function addCluster(name: string): void {
  const cluster: KubeObject = {
    apiVersion: 'v1',
    kind: 'ManagedCluster',
    metadata: { name },
    spec: { hubAcceptsClient: true },
  } as KubeObject;
  state.setCluster(cluster, name);
}

/** Opens a stream of a server process with the epoch `now` and returns the messages of its first three seconds. */
async function messages(views: readonly FollowedView[], change?: () => void): Promise<readonly StreamMessage[]> {
  const sent: StreamMessage[] = [];
  const stream = new Stream(
    {
      runtime: createVirtualRuntime(simulator, 'console'),
      epoch: 'now',
      state,
      view: async () => ({ text: '"content"' }),
      trouble: () => undefined,
    },
    { send: (text) => void sent.push(JSON.parse(text) as StreamMessage), isBusy: false, close: () => undefined },
    session,
    async () => session,
    views,
  );
  change?.();
  stream.wake();
  await simulator.advance(3_000);
  stream.close();
  return sent;
}

function position(epoch: string, sequence: number): Position {
  return { epoch, sequence };
}

describe('a stream', () => {
  it('names its server process before anything else', async () => {
    const [first] = await messages([{ request: { view: 'fleet' }, since: position('before', 1) }]);
    expect(first).toEqual({ type: 'start', epoch: 'now' });
  });

  it.each(VIEWS)('continues the view $view at the position of the browser', async (request) => {
    const sent = await messages([{ request, since: position('now', state.log.sequence) }]);
    expect(sent.map(({ type }) => type)).toEqual(['start']);
  });

  it.each(VIEWS.flatMap((request) => [0, 1, 2, 3, 4, 100].map((sequence) => ({ request, sequence }))))(
    'sends one gap for the view $request.view at sequence $sequence of another process',
    async ({ request, sequence }) => {
      const sent = await messages([{ request, since: position('before', sequence) }]);
      expect(sent.map(({ type }) => type)).toEqual(['start', 'gap']);
    },
  );

  it('sends a gap for a view without a position, and for a sequence that this process has not reached', async () => {
    const request: ViewRequest = { view: 'summary' };
    for (const since of [undefined, position('now', 1_000)])
      expect((await messages([{ request, since }])).map(({ type }) => type)).toEqual(['start', 'gap']);
  });

  it('judges each view by its own position', async () => {
    const sent = await messages([
      { request: { view: 'fleet' }, since: position('before', 900) },
      { request: { view: 'summary' }, since: position('now', state.log.sequence) },
      { request: { view: 'cluster', cluster: 'c1' }, since: position('now', 0) },
    ]);
    expect(sent).toMatchObject([
      { type: 'start' },
      { type: 'gap', view: '/api/fleet' },
      { type: 'view', view: '/api/clusters/c1', sequence: state.log.sequence },
    ]);
  });

  const object = (kind: string, name: string): KubeObject => ({ apiVersion: 'v1', kind, metadata: { name }, spec: {} }) as KubeObject;
  const pauseAll = (): void => state.setRollout(object('AddOnRollout', FLEET_ROLLOUT), FLEET_ROLLOUT);
  const declareOther = (): void => state.setDeclaration(object('ClusterManagementAddOn', 'other'), 'other');
  const moveOther = (): void => state.setRollout(object('AddOnRollout', 'other'), 'other');

  it.each<[string, ViewRequest, () => void, boolean]>([
    ['the rollout page, because it says that the fleet is paused', { view: 'rollout', addOn: 'hello' }, pauseAll, true],
    ['no rollout page of another add-on', { view: 'rollout', addOn: 'hello' }, moveOther, false],
    ['the page of an add-on that another add-on may depend on', { view: 'add-on', addOn: 'hello' }, declareOther, true],
    ['the activity, which contains the timelines of rollouts', { view: 'activity' }, moveOther, true],
    ['no activity, because the page shows no clusters', { view: 'activity' }, () => addCluster('c4'), false],
  ])('a change updates %s', async (_, request, change, isSent) => {
    const sent = await messages([{ request, since: position('now', state.log.sequence) }], change);
    expect(sent.map(({ type }) => type)).toEqual(['start', ...(isSent ? ['view'] : [])]);
  });
});

describe('a stream of a user whose token ends', () => {
  it.each([0, 7_000, 14_000, 29_999])('ends within 30 s, if it was opened %d ms after the sign-in', async (openedAt) => {
    const runtime = createVirtualRuntime(simulator, 'console');
    let isValid = true;
    const create = async ({ plural }: { readonly plural: string }): Promise<object> =>
      plural === 'tokenreviews' ? { status: { authenticated: isValid, user: { username: 'alice' } } } : { status: { allowed: true } };
    const clientFor = (): TokenClient => ({ client: {} as Client, close: async () => undefined });
    const sessions = new Sessions({ runtime, client: { create } as unknown as Client, clientFor, state });
    const id = (await sessions.signIn('token')) ?? '';
    await simulator.advance(openedAt);
    const opened = (await sessions.byCookie(id)) as Session;
    const sent: StreamMessage[] = [];
    const stream = new Stream(
      { runtime, epoch: 'now', state, view: async () => ({ text: '""' }), trouble: () => undefined },
      { send: (text) => void sent.push(JSON.parse(text) as StreamMessage), isBusy: false, close: () => undefined },
      opened,
      () => sessions.byCookie(id),
      [{ request: { view: 'fleet' }, since: position('now', state.log.sequence) }],
    );
    // Another page of the user has the token checked just before it ends.
    await simulator.advance(30_100 - openedAt);
    await sessions.byCookie(id);
    isValid = false;
    await simulator.advance(30_000);
    expect(sent.at(-1)).toMatchObject({ type: 'end', reason: 'token-ended' });
    stream.close();
    await sessions.stop();
  });
});

describe('a stream of a fleet that does not change', () => {
  const MINUTE = 60_000;

  it.each<[ViewRequest, number]>([
    [{ view: 'summary' }, 3],
    [{ view: 'rollout', addOn: 'hello' }, 3],
    [{ view: 'activity' }, 0],
    [{ view: 'cluster', cluster: 'c1' }, 0],
  ])('sends %j again if only the time has changed it, %d times', async (request, count) => {
    const runtime = createVirtualRuntime(simulator, 'console');
    const start = runtime.clock.monotonic();
    const minute = (): number => Math.floor((runtime.clock.monotonic() - start) / MINUTE);
    // From the third minute on the view stays the same.
    const view = createViewCache(async () => ({ minute: Math.min(3, minute()) }) as unknown as ViewData, state, runtime);
    await view(session, request);
    const sent: StreamMessage[] = [];
    const stream = new Stream(
      { runtime, epoch: 'now', state, view: async (...asked) => ({ text: await view(...asked) }), trouble: () => undefined },
      { send: (text) => void sent.push(JSON.parse(text) as StreamMessage), isBusy: false, close: () => undefined },
      session,
      async () => session,
      [{ request, since: position('now', state.log.sequence) }],
    );
    await simulator.advance(6 * MINUTE + 1_000);
    stream.close();
    expect(sent.filter(({ type }) => type === 'view')).toHaveLength(count);
  });
});
