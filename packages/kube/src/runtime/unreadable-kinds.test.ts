import type { ApiResponse, Transport } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client/client.js';
import { type Controller, watch } from '../controller.js';
import { fenceTransport } from '../leader/fence.js';
import { createLeaseLeader } from '../leader/lease-leader.js';
import { createMemoryApi } from '../../testing/memory-api.js';
import { CALM, connect } from '../../testing/network.js';
import { Simulator } from '../../testing/simulator.js';
import type { Resource } from '../resource.js';
import { createVirtualRuntime } from '../../testing/virtual-runtime.js';
import { NAMESPACE, PARENTS, type ToyState, children, parent, parents, toyController } from './fixtures.js';
import { createManager, type Manager } from './manager.js';
import { unreadableKinds } from './troubles.js';

const REFUSALS = {
  'not served': { status: 404, reason: 'NotFound', message: 'the server could not find the requested resource' },
  forbidden: { status: 403, reason: 'Forbidden', message: 'children.toy.dev is forbidden: User "hub" cannot list resource "children"' },
} as const;

const LEASE = { namespace: NAMESPACE, name: 'hub' };
const PARENT = parents as unknown as Resource;
const CHILD = children as unknown as Resource;
const ANNOTATION = 'toy.dev/unreadable';

/** A controller that needs the given resources and writes nothing. */
function idle(name: string, resources: readonly Resource[]): Controller<ToyState> {
  return toyController({
    name,
    watches: resources.map((resource) => watch(resource, () => [])),
    observe: () => undefined,
    decide: () => ({ stages: [] }),
  });
}

function arena(refusal: keyof typeof REFUSALS, plural: string, withLeader: boolean, claims: boolean, child: Resource = CHILD) {
  const simulator = new Simulator({ seed: 1 });
  const api = createMemoryApi({ runtime: createVirtualRuntime(simulator, 'server') });
  const runtime = createVirtualRuntime(simulator, 'manager');
  const access = { isOpen: false };
  const network = connect(simulator, api.transport, { client: runtime, faults: CALM });
  const transport: Transport = {
    send: async (request, signal) =>
      access.isOpen || !request.path.endsWith(`/${plural}`) ? network.send(request, signal) : refused(REFUSALS[refusal]),
    close: () => network.close(),
  };
  const bare = createClient({ transport, runtime });
  let manager: Manager | undefined = undefined;
  const leader = withLeader
    ? createLeaseLeader({
        runtime,
        client: bare,
        lease: LEASE,
        name: 'a',
        annotations: () => ({ [ANNOTATION]: unreadableKinds(manager?.troubles ?? []).join('; ') || undefined }),
      })
    : undefined;
  const hub = leader ? createClient({ transport: fenceTransport(transport, leader), runtime }) : bare;
  const controllers = [idle('both', [PARENT, child]), idle('parents', [PARENT]), idle('children', [child])];
  const started = createManager({
    runtime,
    apis: { hub },
    controllers,
    ...(leader ? { leader } : {}),
    ...(claims ? { claim: { resources: [parents], annotation: 'toy.dev/term' } } : {}),
  });
  manager = started;
  const log: string[] = [];
  void started.start().then(() => log.push('started'));
  const person = createVirtualRuntime(simulator, 'user');
  const user = createClient({ transport: connect(simulator, api.transport, { client: person, faults: CALM }), runtime: person });
  return { simulator, api, access, manager: started, log, user };
}

function refused({ status, reason, message }: (typeof REFUSALS)[keyof typeof REFUSALS]): ApiResponse {
  const body = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', message, reason, code: status };
  return { status, headers: { 'content-type': 'application/json' }, body };
}

const ROWS = (['not served', 'forbidden'] as const).flatMap((refusal) =>
  (
    [
      { withLeader: false, claims: false },
      { withLeader: true, claims: false },
      { withLeader: true, claims: true },
    ] as const
  ).flatMap((how) => (['parents', 'children'] as const).map((plural) => ({ refusal, plural, ...how }))),
);

describe('a kind that a server refuses', () => {
  it.each(ROWS)(
    '$plural $refusal (leader election: $withLeader, claimed objects: $claims) delays only the controllers that need it',
    async ({ refusal, plural, withLeader, claims }) => {
      const other = plural === 'parents' ? 'children' : 'parents';
      const { simulator, api, access, manager, log, user } = arena(refusal, plural, withLeader, claims);
      void user.create(PARENTS, parent('p', { size: 0 }));
      await simulator.advance(5_000);
      expect(log).toEqual(['started']);
      expect([manager.acting, manager.isSynced, manager.hasReadAll]).toEqual([[other], false, true]);
      const sentence = `${plural}.toy.dev cannot be read: ${REFUSALS[refusal].message}`;
      expect(unreadableKinds(manager.troubles)).toEqual([expect.stringContaining(sentence)]);
      expect(unreadableKinds(manager.troubles)[0]).toContain(`(needed by: both, ${plural})`);
      const annotation = (): string | undefined => api.objects('coordination.k8s.io/v1/leases')[0]?.metadata.annotations?.[ANNOTATION];
      if (withLeader) expect(annotation()).toContain(sentence);

      access.isOpen = true;
      await simulator.advance(60_000);
      expect([manager.acting, manager.isSynced, manager.troubles]).toEqual([['both', 'parents', 'children'], true, []]);
      expect(annotation()).toBeUndefined();
    },
  );

  const OPTIONAL: Resource = { ...CHILD, isEmptyIfNotServed: true };

  it('counts as empty if its resource says so and the server does not serve it, and is read when the server does', async () => {
    const { simulator, access, manager } = arena('not served', 'children', true, false, OPTIONAL);
    await simulator.advance(30_000);
    expect([manager.acting, manager.isSynced, manager.troubles]).toEqual([['both', 'parents', 'children'], true, []]);
    expect(manager.view.isComplete(OPTIONAL)).toBe(false);
    access.isOpen = true;
    await simulator.advance(60_000);
    expect(manager.view.isComplete(OPTIONAL)).toBe(true);
  });

  it('never counts as empty if the server forbids to read it', async () => {
    const { simulator, manager } = arena('forbidden', 'children', true, false, OPTIONAL);
    await simulator.advance(30_000);
    expect([manager.acting, manager.isSynced]).toEqual([['parents'], false]);
    expect(manager.troubles).toHaveLength(1);
  });
});
