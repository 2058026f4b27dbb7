import { describe, expect, it } from 'vitest';
import { createClient } from '../client/client.js';
import { createManager } from '../runtime/manager.js';
import {
  CHILD_PATH,
  NAMESPACE,
  PARENT_PATH,
  PARENTS,
  type Parent,
  parent,
  parents,
  patchStatus,
  type ToyState,
  toyController,
} from '../runtime/fixtures.js';
import { createMemoryApi, type MemoryApi } from '../../testing/memory-api.js';
import { CALM, connect, type Faults } from '../../testing/network.js';
import { Simulator } from '../../testing/simulator.js';
import { createVirtualRuntime, type VirtualRuntime } from '../../testing/virtual-runtime.js';
import { type Controller, watch } from '../controller.js';
import type { Client } from '../client/types.js';
import type { Manager, ManagerOptions } from '../runtime/manager.js';
import { fenceTransport, NotLeadingError } from './fence.js';
import type { Lease } from './lease.js';
import type { Leader } from './leader.js';
import { createLeaseLeader, DEFAULT_TIMING } from './lease-leader.js';

const LEASE_PATH = 'coordination.k8s.io/v1/leases';
const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = DEFAULT_TIMING;

interface Replica {
  readonly runtime: VirtualRuntime;
  readonly leader: Leader;
  readonly faults: Faults;
  readonly terms: string[];
  readonly hub: Client;
  manage(controllers: readonly Controller<ToyState>[], options?: Partial<ManagerOptions>): Manager;
  /** Makes the replica take part in the election without a manager. */
  elect(): void;
}

function arena(seed = 1): { simulator: Simulator; api: MemoryApi; user: Client; replica(name: string): Replica } {
  const simulator = new Simulator({ seed });
  const api = createMemoryApi({ runtime: createVirtualRuntime(simulator, 'server') });
  const userRuntime = createVirtualRuntime(simulator, 'user');
  const user = createClient({ transport: connect(simulator, api.transport, { client: userRuntime, faults: CALM }), runtime: userRuntime });
  return {
    simulator,
    api,
    user,
    replica(name) {
      const runtime = createVirtualRuntime(simulator, name);
      const faults: Faults = { ...CALM };
      const transport = connect(simulator, api.transport, { client: runtime, faults });
      const bare = createClient({ transport, runtime });
      const leader = createLeaseLeader({ runtime, client: bare, lease: { namespace: NAMESPACE, name: 'hub' }, name });
      const hub = createClient({ transport: fenceTransport(transport, leader), runtime });
      const terms: string[] = [];
      return {
        runtime,
        leader,
        faults,
        terms,
        hub,
        manage(controllers, options = {}) {
          const manager = createManager({ runtime, apis: { hub }, controllers, leader, ...options });
          void manager.start();
          return manager;
        },
        elect() {
          leader.start({ leading: () => terms.push('leading'), lost: (reason) => terms.push(`lost: ${reason}`) });
        },
      };
    },
  };
}

const leaseOf = (api: MemoryApi): Lease | undefined => api.objects(LEASE_PATH)[0];

describe('lease leader', () => {
  it('the first candidate leads and renews, the second waits', async () => {
    const { simulator, api, replica } = arena();
    const [a, b] = [replica('a'), replica('b')];
    a.elect();
    await simulator.advance(100);
    b.elect();
    await simulator.advance(120_000);
    expect([a.leader.isLeading, b.leader.isLeading]).toEqual([true, false]);
    expect(leaseOf(api)?.spec).toMatchObject({ leaseDurationSeconds: leaseDurationMs / 1000, leaseTransitions: 0 });
    expect(leaseOf(api)?.spec?.holderIdentity).toMatch(/^a_/);
  });

  it('a stopped leader gives the lease back and another takes over at once', async () => {
    const { simulator, api, replica } = arena();
    const [a, b] = [replica('a'), replica('b')];
    a.elect();
    await simulator.advance(100);
    b.elect();
    await simulator.advance(5000);
    void a.leader.stop();
    await simulator.advance(2 * retryPeriodMs);
    expect([a.leader.isLeading, b.leader.isLeading]).toEqual([false, true]);
    expect(leaseOf(api)?.spec?.leaseTransitions).toBe(1);
  });

  it('a crashed leader is replaced when its lease has run out, not before', async () => {
    const { simulator, replica } = arena();
    const [a, b] = [replica('a'), replica('b')];
    a.elect();
    await simulator.advance(100);
    b.elect();
    await simulator.advance(20_000);
    a.runtime.crash();
    await simulator.advance(leaseDurationMs - retryPeriodMs * 1.5);
    expect(b.leader.isLeading).toBe(false);
    await simulator.advance(3 * retryPeriodMs);
    expect(b.leader.isLeading).toBe(true);
  });

  it.each([-3_600_000, 3_600_000])('clocks that differ by %i ms do not make a second leader', async (skewMs) => {
    const { simulator, replica } = arena();
    const [a, b] = [replica('a'), replica('b')];
    b.runtime.skew(skewMs);
    a.elect();
    await simulator.advance(100);
    b.elect();
    await simulator.advance(600_000);
    expect([a.terms, b.terms]).toEqual([['leading'], []]);
  });

  it('a wall clock that jumps forward closes the fence until the next renewal, and no longer', async () => {
    const { simulator, replica } = arena();
    const a = replica('a');
    a.elect();
    await simulator.advance(retryPeriodMs / 2);
    expect(a.leader.isLeading).toBe(true);
    a.runtime.skew(3_600_000);
    expect(a.leader.isLeading).toBe(false);
    expect(() => a.leader.check()).toThrow(NotLeadingError);
    await simulator.advance(2 * retryPeriodMs);
    expect(a.leader.isLeading).toBe(true);
    expect(a.terms).toEqual(['leading']);
  });

  it('a leader that cannot reach the server stops before another can lead', async () => {
    const { simulator, replica } = arena();
    const [a, b] = [replica('a'), replica('b')];
    a.elect();
    await simulator.advance(100);
    b.elect();
    await simulator.advance(10_000);
    a.faults.dropBefore = 1;
    for (let ms = 0; ms < 60_000; ms += 100) {
      await simulator.advance(100);
      expect(a.leader.isLeading && b.leader.isLeading).toBe(false);
    }
    expect(b.leader.isLeading).toBe(true);
    expect(a.terms).toEqual(['leading', `lost: not renewed within ${renewDeadlineMs} ms`]);
  });

  it('an answer lost after the server took the lease does not lock its own candidate out', async () => {
    const { simulator, replica } = arena();
    const a = replica('a');
    a.faults.dropAfter = 1;
    a.elect();
    await simulator.advance(5000);
    expect(a.leader.isLeading).toBe(false);
    a.faults.dropAfter = 0;
    await simulator.advance(3 * retryPeriodMs);
    expect(a.leader.isLeading).toBe(true);
  });

  it('refuses timings that leave no room between deadline and duration', () => {
    const { replica } = arena();
    const { runtime, hub } = replica('a');
    const timing = { leaseDurationMs: 10, renewDeadlineMs: 10, retryPeriodMs: 1 };
    expect(() => createLeaseLeader({ runtime, client: hub, lease: { name: 'x' }, name: 'a', timing })).toThrow('a lease needs');
  });
});

/** Increments a number in the status of every parent, so that each write depends on the previous one. */
function counter(): Controller<ToyState> {
  return toyController({
    // Wake a parent only when it is created or its requeue is due. A counter that is woken by its own writes would never settle.
    watches: [watch(parents, ({ before, after }) => (after && !before ? [after.key] : []))],
    observe: (view, key) => {
      const owner = view.get(parents, key);
      return owner && { parent: owner, children: [], problem: '', hasSucceeded: false };
    },
    decide: ({ parent: owner }) => ({ stages: owner ? [[patchStatus(owner, { ready: owner.ready + 1 })]] : [], requeueAfterMs: 500 }),
  });
}

/** The writer and content of each write in the simulation's log, in the order in which the server accepted them. */
function acceptedWrites(simulator: Simulator): { by: string; path: string }[] {
  return simulator.log.flatMap((line) => {
    const match = /^\S+ (\w+): (?:PATCH|POST|PUT|DELETE) (\S+) 20[01]$/.exec(line);
    return match && match[1] !== 'user' && !(match[2] as string).includes('leases')
      ? [{ by: match[1] as string, path: match[2] as string }]
      : [];
  });
}

function countUntilTakeover(simulator: Simulator, isDone: () => boolean): Promise<void> {
  return simulator.runUntil(isDone, 120_000);
}

describe('managers under a leader', () => {
  it('only the leader writes; the other replica has full caches and continues at the same point', async () => {
    const { simulator, api, user, replica } = arena();
    void user.create(PARENTS, parent('a', { size: 3 }));
    const [a, b] = [replica('a'), replica('b')];
    a.manage([toyController()]);
    await simulator.advance(3000);
    const standby = b.manage([toyController()]);
    await simulator.advance(3000);
    expect(api.objects(CHILD_PATH)).toHaveLength(3);
    expect([standby.isSynced, standby.isActive]).toEqual([true, false]);
    a.runtime.crash();
    void user.patch(PARENTS, { namespace: NAMESPACE, name: 'a' }, { type: 'merge', patch: { spec: { size: 5 } } });
    await simulator.advance(leaseDurationMs + 5000);
    expect(api.objects(CHILD_PATH)).toHaveLength(5);
  });

  it.each(Array.from({ length: 6 }, (_, seed) => seed))(
    'a leader frozen at any moment writes nothing after its successor began (seed %i)',
    async (seed) => {
      const { simulator, user, replica } = arena(seed);
      for (const name of ['p', 'q']) void user.create(PARENTS, parent(name, { size: 0 }));
      const [a, b] = [replica('a'), replica('b')];
      a.manage([counter()]);
      await simulator.advance(3000 + 1000 * simulator.random.next());
      b.manage([counter()]);
      await simulator.advance(5000 + 3000 * simulator.random.next());
      a.runtime.freeze(30_000 + 10_000 * simulator.random.next());
      await simulator.advance(120_000);
      const writers = acceptedWrites(simulator).map(({ by }) => by);
      expect(writers).toContain('a');
      expect(writers).toContain('b');
      expect(writers.indexOf('b')).toBeGreaterThan(writers.lastIndexOf('a'));
    },
  );

  /** Delays the last write of the old leader until long after the new leader took over. */
  async function withLateWrites(claims: boolean): Promise<string[]> {
    const { simulator, api, user, replica } = arena(3);
    for (const name of ['p', 'q']) void user.create(PARENTS, parent(name, { size: 0 }));
    const claim = claims ? { claim: { resources: [parents], annotation: 'toy.dev/term' } } : {};
    const [a, b] = [replica('a'), replica('b')];
    a.manage([counter()], claim);
    await simulator.advance(5000);
    // The new leader writes only q. If it did not claim p, the resourceVersion of p would still be the one that the old leader observed.
    const base = counter();
    b.manage(
      [toyController({ ...base, observe: (view, key, outcomes) => (key.name === 'p' ? undefined : base.observe(view, key, outcomes)) })],
      claim,
    );
    await simulator.advance(5000);
    a.faults.latencyMs = [60_000, 60_000];
    await countUntilTakeover(simulator, () => b.leader.isLeading);
    await simulator.advance(120_000);
    expect((api.objects(PARENT_PATH) as Parent[]).every(({ status }) => (status?.ready ?? 0) > 0)).toBe(true);
    return acceptedWrites(simulator).map(({ by, path }) => `${by} ${path.split('/').slice(6).join('/')}`);
  }

  it('a write that hangs on its way loses to any later write of the same object', async () => {
    const writes = (await withLateWrites(false)).filter((line) => line.endsWith('/q/status'));
    expect(writes.indexOf('b parents/q/status')).toBeGreaterThan(writes.lastIndexOf('a parents/q/status'));
  });

  it('without a claim, a late write can still change an object that the successor has not written: the limit of the lease alone', async () => {
    const writes = await withLateWrites(false);
    expect(writes.lastIndexOf('a parents/p/status')).toBeGreaterThan(writes.findIndex((line) => line.startsWith('b ')));
  });

  it('with a claim nothing of the old leader is accepted once the new one decides', async () => {
    const writes = await withLateWrites(true);
    const firstDecision = writes.indexOf('b parents/q/status');
    expect(firstDecision).toBeGreaterThan(0);
    expect(writes.slice(firstDecision).filter((line) => line.startsWith('a '))).toEqual([]);
    expect(writes.filter((line) => line === 'b parents/p')).toHaveLength(1);
  });
});

describe('a fenced transport', () => {
  it('allows reads and stops writes while leadership is not certain', async () => {
    const { simulator, user, replica } = arena();
    void user.create(PARENTS, parent('p', { size: 0 }));
    await simulator.advance(100);
    const { hub } = replica('a');
    const results: string[] = [];
    void hub.list(PARENTS).then(({ items }) => results.push(`read ${items.length}`));
    const note = (error: unknown): number => results.push((error as Error).name);
    void hub.patch(PARENTS, { namespace: NAMESPACE, name: 'p' }, { type: 'merge', patch: {} }).catch(note);
    void hub.create(PARENTS, parent('q', { size: 0 })).catch(note);
    await simulator.advance(1000);
    expect(results.sort()).toEqual(['NotLeadingError', 'NotLeadingError', 'read 1']);
  });
});
