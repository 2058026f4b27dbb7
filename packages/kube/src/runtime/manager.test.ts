import { ApiError, type Runtime, type Metrics } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { watch } from '../controller.js';
import type { Action } from '../decision.js';
import type { Resource } from '../resource.js';
import {
  CHILD_PATH,
  CHILDREN,
  child,
  createChild,
  decideToy,
  NAMESPACE,
  PARENT_PATH,
  PARENTS,
  type Parent,
  parent,
  parents,
  toyController,
  type World,
  world,
} from './fixtures.js';

const key = (name: string) => ({ namespace: NAMESPACE, name });
const readyOf = ({ api }: World, name: string): number | undefined =>
  (api.objects(PARENT_PATH) as Parent[]).find(({ metadata }) => metadata.name === name)?.status?.ready;
const warnings = ({ simulator }: World): string[] => simulator.log.filter((line) => line.includes(': warn '));

describe('a poisoned key', () => {
  it('whose projection throws does not stop the others, and is logged once', async () => {
    const w = world();
    w.start([toyController()]);
    void w.user.create(PARENTS, parent('bad', { size: -1 }));
    void w.user.create(PARENTS, parent('good', { size: 2 }));
    await w.simulator.advance(60_000);
    expect(readyOf(w, 'good')).toBe(2);
    expect(warnings(w)).toHaveLength(1);
  });

  it.each(['observe', 'decide'] as const)('whose %s throws is retried with growing pauses while others continue', async (part) => {
    const w = world();
    const attempts: number[] = [];
    const fail = (name: string): void => {
      if (name !== 'bad') return;
      attempts.push(w.simulator.now);
      throw new Error('poison');
    };
    const base = toyController();
    w.start([
      toyController({
        observe(view, at, outcomes) {
          if (part === 'observe') fail(at.name);
          return base.observe(view, at, outcomes);
        },
        decide(state) {
          if (part === 'decide') fail(state.parent?.key.name ?? '');
          return decideToy(state);
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('bad', { size: 1 }));
    void w.user.create(PARENTS, parent('good', { size: 2 }));
    await w.simulator.advance(60_000);
    expect(readyOf(w, 'good')).toBe(2);
    const pauses = attempts.slice(1).map((at, i) => at - (attempts[i] as number));
    expect(pauses.length).toBeGreaterThan(4);
    expect(Math.max(...pauses)).toBeGreaterThan(10 * Math.min(...pauses));
    expect(warnings(w)).toHaveLength(1);
  });

  it('a mapper that throws loses only its own wake-up', async () => {
    const w = world();
    const base = toyController();
    const [own, ofChildren] = base.watches;
    w.start([
      toyController({
        watches: [
          {
            ...(own as (typeof base.watches)[number]),
            keys: (change, view) => {
              if ((change.after ?? change.before)?.key.name === 'bad') throw new Error('poison');
              return (own as (typeof base.watches)[number]).keys(change, view);
            },
          },
          ofChildren as (typeof base.watches)[number],
        ],
      }),
    ]);
    void w.user.create(PARENTS, parent('bad', { size: 1 }));
    void w.user.create(PARENTS, parent('good', { size: 1 }));
    await w.simulator.advance(5000);
    expect(readyOf(w, 'good')).toBe(1);
    expect(warnings(w)).toHaveLength(1);
  });
});

describe('the effect of an error on a key', () => {
  const attemptsWithin = async (
    ms: number,
    reason: ConstructorParameters<typeof ApiError>[0],
    { retryAfterSeconds, awaitsGrants = false }: { readonly retryAfterSeconds?: number; readonly awaitsGrants?: boolean } = {},
  ): Promise<number> => {
    let attempts = 0;
    const w = world({
      admit: (verb) => {
        if (verb !== 'create' || w.api.objects(PARENT_PATH).length === 0) return;
        attempts++;
        throw new ApiError(reason, 'no', retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } });
      },
    });
    w.start([toyController({ awaitsGrants, decide: () => ({ stages: [[createChild('a', 0)]] }) })]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(ms);
    return attempts;
  };

  it('Invalid: shown to one more pass, then left until a change', async () => expect(await attemptsWithin(600_000, 'Invalid')).toBe(2));
  it('Forbidden: tried again with growing pauses', async () => {
    const attempts = await attemptsWithin(600_000, 'Forbidden');
    expect(attempts).toBeGreaterThan(5);
    expect(attempts).toBeLessThan(30);
  });
  it('Forbidden, by a controller that awaits grants: tried again within 10 s', async () => {
    const attempts = await attemptsWithin(600_000, 'Forbidden', { awaitsGrants: true });
    expect(attempts).toBeGreaterThanOrEqual(60);
    expect(attempts).toBeLessThan(140);
  });
  it('Forbidden, by a controller that awaits grants: 150 keys together send few requests, and all succeed after the right is granted', async () => {
    let attempts = 0;
    let isGranted = false;
    const w = world({
      admit: (verb, object) => {
        if (verb !== 'create' || object.kind !== 'Child' || isGranted) return;
        attempts++;
        throw new ApiError('Forbidden', 'no');
      },
    });
    w.start([toyController({ awaitsGrants: true })]);
    const names = Array.from({ length: 150 }, (_, i) => `p${i}`);
    for (const name of names) void w.user.create(PARENTS, parent(name, { size: 1 }));
    await w.simulator.advance(60_000);
    attempts = 0;
    await w.simulator.advance(30_000);
    expect(attempts / 30).toBeGreaterThan(5);
    expect(attempts / 30).toBeLessThan(25);
    isGranted = true;
    await w.simulator.advance(20_000);
    expect(names.filter((name) => readyOf(w, name) !== 1)).toEqual([]);
  });
  it('a refusal worded differently each time does not make its key spin, though it wakes itself by its status', async () => {
    let attempts = 0;
    const w = world({
      admit: (verb, object) => {
        if (verb === 'create' && object.kind === 'Child') throw new ApiError('Invalid', `refused, request ${attempts++}`);
      },
    });
    w.start([toyController()]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(60_000);
    expect(attempts).toBeGreaterThan(5);
    expect(attempts).toBeLessThan(50);
    expect(warnings(w).length).toBeLessThanOrEqual(20);
  });
  it('Conflict: checked again promptly', async () => expect(await attemptsWithin(1000, 'Conflict')).toBeGreaterThan(3));
  it('one lost request after a run of conflicts costs the pause of one failure', async () => {
    let attempts = 0;
    const w = world({
      admit: (verb) => {
        if (verb !== 'create' || w.api.objects(PARENT_PATH).length === 0) return;
        attempts++;
        if (attempts <= 12) throw new ApiError('Conflict', 'no');
        if (attempts === 13) throw new ApiError('ServiceUnavailable', 'no');
      },
    });
    w.start([toyController({ decide: () => ({ stages: attempts < 14 ? [[createChild('a', 0)]] : [] }) })]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    while (attempts < 13) await w.simulator.advance(1000);
    await w.simulator.advance(3000);
    expect(attempts).toBe(14);
  });
  it('a server that sends Retry-After gets that delay', async () =>
    expect(await attemptsWithin(30_000, 'InternalError', { retryAfterSeconds: 20 })).toBeLessThanOrEqual(4));
});

describe('requeueAfterMs', () => {
  it('runs a pass after this time although nothing changed', async () => {
    const w = world();
    const passes: number[] = [];
    w.start([
      toyController({
        decide: () => {
          passes.push(Math.round(w.simulator.now / 1000));
          return { stages: [], requeueAfterMs: 10_000 };
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 0 }));
    await w.simulator.advance(35_000);
    expect(passes).toEqual([0, 10, 20, 30]);
  });

  it('of zero does not spin', async () => {
    const w = world();
    let passes = 0;
    w.start([
      toyController({
        decide: () => {
          passes++;
          return { stages: [], requeueAfterMs: 0 };
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 0 }));
    await w.simulator.advance(100);
    expect(passes).toBeGreaterThan(50);
    expect(passes).toBeLessThan(101);
  });
});

describe('sharing the thread', () => {
  /** A runtime whose monotonic clock also advances by the simulated work of passes. Each pass adds its work to `work.ms`. */
  function busyRuntime(runtime: Runtime, work: { ms: number }): Runtime {
    return { ...runtime, clock: { now: () => runtime.clock.now(), monotonic: () => runtime.clock.monotonic() + work.ms } };
  }

  it('timers and I/O get their turn after 8 ms of passes', async () => {
    const w = world();
    for (let i = 0; i < 100; i++) void w.user.create(PARENTS, parent(`p${i}`, { size: 0 }));
    await w.simulator.advance(1000);
    const work = { ms: 0 };
    const longest = { ms: 0 };
    const { runtime, manager } = w.start(
      [
        toyController({
          decide: () => {
            work.ms += 3;
            return { stages: [] };
          },
        }),
      ],
      (options) => ({ ...options, runtime: busyRuntime(options.runtime, work) }),
    );
    await w.simulator.runUntil(() => manager.isActive);
    let last = work.ms;
    const beat = (): void => {
      longest.ms = Math.max(longest.ms, work.ms - last);
      last = work.ms;
      runtime.timers.after(0, beat);
    };
    beat();
    await w.simulator.runUntil(() => work.ms >= 300);
    expect(longest.ms).toBeLessThanOrEqual(8 + 3);
  });

  it('a key rests restFactor times as long as its last pass took', async () => {
    const w = world();
    const work = { ms: 0 };
    const passes: number[] = [];
    const { source } = w.start(
      [
        toyController({
          restFactor: 20,
          decide: () => {
            passes.push(w.simulator.now);
            work.ms += 50;
            return { stages: [] };
          },
        }),
      ],
      (options) => ({ ...options, runtime: busyRuntime(options.runtime, work) }),
    );
    void w.user.create(PARENTS, parent('a', { size: 0 }));
    await w.simulator.advance(10);
    for (let i = 0; i < 300; i++) {
      source('toy').wake(key('a'));
      await w.simulator.advance(10);
    }
    const pauses = passes.slice(1).map((at, i) => at - (passes[i] as number));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(950);
    expect(passes.length).toBeGreaterThanOrEqual(3);
  });

  it('a key rests while its writes are carried out', async () => {
    const w = world({ faults: { watchLagMs: [5_000, 5_000] } });
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(100);
    const work = { ms: 0 };
    const passes: number[] = [];
    const toy = toyController({
      restFactor: 20,
      decide: (state) => {
        passes.push(w.simulator.now);
        work.ms += 50;
        return decideToy(state);
      },
    });
    w.start([toy], (options) => ({ ...options, runtime: busyRuntime(options.runtime, work) }));
    await w.simulator.runUntil(() => passes.length === 2);
    const [first = 0, second = 0] = passes;
    expect(second - first).toBeGreaterThanOrEqual(4_900);
    expect(second - first).toBeLessThan(5_500);
  });

  it('the passes of many keys that rest take at most a quarter of the time', async () => {
    const w = world();
    const work = { ms: 0 };
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    for (const name of names) void w.user.create(PARENTS, parent(name, { size: 0 }));
    await w.simulator.advance(1000);
    const decide = (): { stages: [] } => {
      work.ms += 10;
      return { stages: [] };
    };
    const { manager, source } = w.start([toyController({ restFactor: 20, decide })], (options) => ({
      ...options,
      runtime: busyRuntime(options.runtime, work),
    }));
    await w.simulator.runUntil(() => manager.isActive);
    const before = { work: work.ms, waited: w.simulator.now };
    for (let i = 0; i < 1_000; i++) {
      for (const name of names) source('toy').wake(key(name));
      await w.simulator.advance(10);
    }
    const worked = work.ms - before.work;
    const share = worked / (worked + w.simulator.now - before.waited);
    expect(share).toBeLessThanOrEqual(0.26);
    expect(share).toBeGreaterThan(0.1);
  });

  it('a waiting key of one controller does not hold up another controller', async () => {
    const w = world({ faults: { watchLagMs: [3_600_000, 3_600_000] } });
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(100);
    let passes = 0;
    const second = toyController({
      name: 'second',
      decide: () => {
        passes++;
        return { stages: [], requeueAfterMs: 1000 };
      },
    });
    w.start([toyController({ workers: 1 }), second]);
    await w.simulator.advance(60_000);
    expect(passes).toBeGreaterThan(50);
  });
});

describe('stopping', () => {
  it('finishes passes in flight and starts no new ones', async () => {
    const w = world({ faults: { latencyMs: [200, 200] } });
    const { manager } = w.start([toyController()]);
    void w.user.create(PARENTS, parent('a', { size: 3 }));
    await w.simulator.runUntil(() => manager.isActive && w.api.objects(CHILD_PATH).length > 0);
    let isStopped = false;
    void manager.stop().then(() => (isStopped = true));
    await w.simulator.advance(2000);
    expect(isStopped).toBe(true);
    expect(w.api.objects(CHILD_PATH)).toHaveLength(3);
    w.writes();
    void w.user.patch(PARENTS, key('a'), { type: 'merge', patch: { spec: { size: 9 } } });
    await w.simulator.advance(60_000);
    expect(w.writes()).toEqual([]);
  });

  it('before the caches are complete ends the start', async () => {
    const w = world({ faults: { dropBefore: 1 } });
    let isStarted = false;
    const { manager } = w.start([toyController()], (options) => options);
    void manager.stop().then(() => (isStarted = true));
    await w.simulator.advance(100);
    expect([isStarted, manager.isActive]).toEqual([true, false]);
  });

  it('does not wait longer than its grace for a server that does not answer', async () => {
    const w = world();
    const { manager } = w.start([toyController()]);
    await w.simulator.runUntil(() => manager.isActive);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.runUntil(() => manager.view.get(parents, key('a')) !== undefined);
    w.faults.latencyMs = [20_000, 20_000];
    await w.simulator.advance(1);
    let stoppedAt = 0;
    const startedAt = w.simulator.now;
    void manager.stop(3000).then(() => (stoppedAt = w.simulator.now));
    await w.simulator.advance(100_000);
    expect(stoppedAt - startedAt).toBeGreaterThan(0);
    expect(stoppedAt - startedAt).toBeLessThanOrEqual(3100);
  });
});

describe('metrics', () => {
  it('report the depth of the queue and the outcomes of passes, by controller', async () => {
    const counts = new Map<string, number>();
    const depths: number[] = [];
    const metrics: Metrics = {
      counter: ({ name }) => ({
        add: (labels, by = 1) => {
          const id = `${name} ${Object.values(labels).join(' ')}`;
          counts.set(id, (counts.get(id) ?? 0) + by);
        },
      }),
      gauge: ({ name }) => ({ set: (_, value) => void (name === 'outrigger_queue_depth' && depths.push(value)), remove: () => undefined }),
      histogram: () => ({ observe: () => undefined }),
    };
    const w = world();
    w.start([toyController()], (options) => ({ ...options, metrics }));
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    void w.user.create(PARENTS, parent('bad', { size: -1 }));
    await w.simulator.advance(5000);
    expect(counts.get('outrigger_reconcile_total toy acted')).toBeGreaterThan(0);
    expect(counts.get('outrigger_reconcile_total toy idle')).toBeGreaterThan(0);
    expect(counts.get('outrigger_projection_failures_total parents')).toBeGreaterThan(0);
    expect(depths.length).toBeGreaterThan(0);
  });
});

describe('a watch added while running', () => {
  it('wakes its controller, shares a resource, and drops the projections of a resource without a watch', async () => {
    const w = world();
    const extra: Resource = { ...(parents as Resource), name: 'extra', kind: CHILDREN, project: ({ metadata }) => identity(metadata) };
    const identity = ({ name = '', uid = '', resourceVersion = '' }) => ({ key: key(name), uid, resourceVersion });
    const seen: string[] = [];
    const { manager, source } = w.start([
      toyController({
        observe: (view, at) => {
          if (at.name !== 'x') return undefined;
          seen.push(view.isComplete(extra) ? `complete ${view.get(extra, key('c-0')) ? 'found' : 'absent'}` : 'unknown');
          return undefined;
        },
      }),
    ]);
    await w.simulator.runUntil(() => manager.isActive);
    const wakes = watch(extra, () => [key('x')]);
    source('toy').wake(key('x'));
    await w.simulator.advance(100);
    const cancels = [1, 2].map(() => source('toy').watch({ ...wakes }, () => source('toy').wake(key('x'))));
    await w.simulator.advance(100);
    void w.user.create(CHILDREN, child('c', 0));
    await w.simulator.advance(100);
    expect(seen).toEqual(['unknown', 'complete absent', 'complete found']);
    cancels[0]?.();
    expect(manager.view.isComplete(extra)).toBe(true);
    cancels[1]?.();
    expect(manager.view.isComplete(extra)).toBe(false);
  });
});

describe('a manager', () => {
  it('names the missing client', () => {
    const w = world();
    expect(() => w.start([toyController()], (options) => ({ ...options, apis: {} }))).toThrow('resource parents lives on the API "hub"');
  });

  it('watches a resource once, however many controllers share it', async () => {
    const w = world();
    w.start([toyController(), toyController({ name: 'second', decide: () => ({ stages: [] }) })]);
    await w.simulator.advance(5000);
    expect(w.simulator.log.filter((line) => line.includes('GET') && line.endsWith('parents 200'))).toHaveLength(1);
  });

  it('reads a resource in one namespace only if the options name it', async () => {
    const w = world();
    w.start([toyController()], (options) => ({ ...options, namespaces: new Map([[parents, NAMESPACE]]) }));
    await w.simulator.advance(5000);
    const requests = w.simulator.log.filter((line) => line.includes(' GET ') && line.includes('/parents'));
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter((line) => !line.includes(`/namespaces/${NAMESPACE}/`))).toEqual([]);
  });

  it('reports an observe that reads a resource that no controller watches', async () => {
    const w = world();
    const stray = { ...parents, name: 'stray' };
    w.start([
      toyController({
        observe: (view, at) => {
          view.get(stray, at);
          return undefined;
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(100);
    expect(warnings(w)[0]).toContain('no controller watches stray');
  });

  it('waits for its own write only if the selector of a resource shows it', async () => {
    const w = world();
    const marked: Resource = {
      name: 'marked',
      api: 'hub',
      kind: CHILDREN,
      labelSelector: 'mark=yes',
      indexes: {},
      project: ({ metadata: { name = '', uid = '', resourceVersion = '' } }) => ({ key: key(name), uid, resourceVersion }),
    };
    const passes: number[] = [];
    w.start([
      toyController({
        watches: toyController().watches.slice(0, 1),
        reads: [marked],
        observe: (view, at) => {
          const owner = view.get(parents, at);
          return owner && { parent: owner, children: [], problem: '', hasSucceeded: false };
        },
        decide: () => {
          passes.push(w.simulator.now);
          const make: Action = { type: 'create', api: 'hub', kind: CHILDREN, id: 'x', object: child('a', 0), accept: ['AlreadyExists'] };
          return { stages: passes.length < 3 ? [[make]] : [], requeueAfterMs: 1000 };
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(10_000);
    expect(passes.length).toBeGreaterThan(5);
  });
});

describe('the next pass of a manager', () => {
  it('is unknown while nothing is due, and comes as long after a decision as the decision asked for', async () => {
    const w = world();
    const { manager } = w.start([toyController({ decide: (state) => ({ ...decideToy(state), requeueAfterMs: 60_000 }) })]);
    await w.simulator.advance(1_000);
    expect([manager.isSettled, manager.nextPassInMs]).toEqual([true, undefined]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(10_000);
    const first = manager.nextPassInMs ?? 0;
    expect(first).toBeGreaterThan(30_000);
    await w.simulator.advance(20_000);
    expect(manager.nextPassInMs).toBe(first - 20_000);
  });
});
