import { ApiError, type KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { type AnyController, type Controller, type Source, type SourceContext, defineController, watch } from '../controller.js';
import type { Action } from '../decision.js';
import type { Leader, LeaderListener } from '../leader/leader.js';
import {
  CHILD_PATH,
  CHILDREN,
  type Child,
  child,
  children,
  createChild,
  decideToy,
  deleteChild,
  NAMESPACE,
  PARENT_PATH,
  PARENTS,
  type Parent,
  parent,
  parents,
  patchStatus,
  type ToyState,
  toyController,
  type World,
  world,
} from './fixtures.js';

const key = (name: string) => ({ namespace: NAMESPACE, name });
const names = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name ?? '');
const statusOf = ({ api }: World, name: string): Parent['status'] =>
  (api.objects(PARENT_PATH) as Parent[]).find(({ metadata }) => metadata.name === name)?.status;

describe('the controller contract', () => {
  it('rule 1: observe and decide run in one turn, before anything else', async () => {
    const w = world({ faults: { watchLagMs: [0, 50] } });
    let hasTurnEnded = false;
    let decided = 0;
    w.start([
      toyController({
        observe(view, at) {
          hasTurnEnded = false;
          void Promise.resolve().then(() => (hasTurnEnded = true));
          const owner = view.get(parents, at);
          return owner && { parent: owner, children: view.byIndex(children, 'parent', at.name), problem: '', hasSucceeded: false };
        },
        decide(state) {
          expect(hasTurnEnded).toBe(false);
          decided++;
          return decideToy(state);
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 20 }));
    await w.simulator.advance(10_000);
    expect(decided).toBeGreaterThan(1);
    expect(statusOf(w, 'a')?.ready).toBe(20);
  });

  describe('rule 2: stages', () => {
    const staged = (): Controller<ToyState> =>
      toyController({
        decide: ({ parent: owner, children: found }) => {
          const present = new Set(found.map(({ index }) => index));
          const missing = [0, 1, 2].filter((index) => !present.has(index)).map((index) => createChild(owner?.key.name ?? '', index));
          return { stages: missing.map((action) => [action]) };
        },
      });

    it('a stage starts only if all before it succeeded', async () => {
      let refuse = true;
      const w = world({
        admit: (_, object) => {
          if (refuse && object.metadata.name === 'a-1') throw new ApiError('Forbidden', 'not this one');
        },
      });
      w.start([staged()]);
      void w.user.create(PARENTS, parent('a', { size: 3 }));
      await w.simulator.advance(30_000);
      expect(names(w.api.objects(CHILD_PATH))).toEqual(['a-0']);
      refuse = false;
      await w.simulator.advance(600_000);
      expect(names(w.api.objects(CHILD_PATH))).toEqual(['a-0', 'a-1', 'a-2']);
    });

    it('a crash between two stages leaves a state that the next process completes', async () => {
      const w = world({ faults: { latencyMs: [50, 50] } });
      const { runtime } = w.start([staged()]);
      void w.user.create(PARENTS, parent('a', { size: 3 }));
      await w.simulator.runUntil(() => w.api.objects(CHILD_PATH).length === 1);
      runtime.crash();
      await w.simulator.advance(10_000);
      expect(names(w.api.objects(CHILD_PATH))).toEqual(['a-0']);
      w.start([staged()]);
      await w.simulator.advance(10_000);
      expect(names(w.api.objects(CHILD_PATH))).toEqual(['a-0', 'a-1', 'a-2']);
    });
  });

  it('rule 3: status reports what was observed, never what was only asked for', async () => {
    const w = world({ faults: { watchLagMs: [0, 3000], dropBefore: 0.2 } });
    w.start([toyController()]);
    void w.user.create(PARENTS, parent('a', { size: 12 }));
    await w.simulator.advance(120_000);
    let present = 0;
    let reported = 0;
    for (const { resource, event } of w.api.history) {
      if (resource === CHILD_PATH) present += event.type === 'ADDED' ? 1 : 0;
      else reported = (event.object as Parent).status?.ready ?? 0;
      expect(reported).toBeLessThanOrEqual(present);
    }
    expect(reported).toBe(12);
  });

  it('rule 4: a delete decided on a stale cache does not hit a successor of the same name', async () => {
    const w = world();
    let isDeleting = false;
    const { source } = w.start([
      toyController({
        decide: ({ children: found }) => {
          const stages = isDeleting ? [found.map(deleteChild)] : [];
          isDeleting = false;
          return { stages };
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    void w.user.create(CHILDREN, child('a', 0));
    await w.simulator.advance(5000);
    w.faults.watchLagMs = [20_000, 20_000];
    void w.user.delete(CHILDREN, key('a-0'));
    await w.simulator.advance(10);
    void w.user.create(CHILDREN, child('a', 0));
    await w.simulator.advance(10);
    const successor = w.api.objects(CHILD_PATH)[0]?.metadata.uid;
    isDeleting = true;
    source('toy').wake(key('a'));
    await w.simulator.advance(60_000);
    expect(w.writes()).toEqual(['DELETE children/a-0 409']);
    expect(w.api.objects(CHILD_PATH).map(({ metadata }) => metadata.uid)).toEqual([successor]);
  });

  it('rule 4: the server refuses a status that was computed from an older revision', async () => {
    const w = world();
    const outcomes: string[] = [];
    w.start([
      toyController({
        decide: ({ parent: owner }) => {
          if (!owner || owner.ready === 7) return { stages: [] };
          outcomes.push(owner.resourceVersion);
          // Only the first pass sends an outdated resourceVersion.
          const resourceVersion = outcomes.length === 1 ? '1' : owner.resourceVersion;
          return { stages: [[patchStatus({ ...owner, resourceVersion }, { ready: 7 })]] };
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(5000);
    expect(outcomes).toHaveLength(2);
    expect(w.writes().map((line) => line.split(' ').at(-1))).toEqual(['409', '200']);
  });

  it('rule 5: effects do what decisions cannot, and their data stays out of every log', async () => {
    const w = world({ seed: 5 });
    const canary = 'canary-7f3a';
    const signed: string[] = [];
    w.start([
      toyController({
        decide: ({ parent: owner, children: found }) =>
          owner && found.length === 0
            ? { stages: [[{ type: 'effect', effect: 'sign', id: 'sign', input: { name: owner.key.name } }]] }
            : { stages: [] },
        effects: {
          async sign(input, { runtime, client }) {
            await runtime.keys.generate('P-256');
            signed.push(canary);
            const { name } = input as { name: string };
            return [{ api: 'hub', kind: CHILDREN, object: await client('hub').create(CHILDREN, child(name, 0)) }];
          },
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 1 }));
    await w.simulator.advance(5000);
    expect(signed).toHaveLength(1);
    expect(names(w.api.objects(CHILD_PATH))).toEqual(['a-0']);
    expect(w.simulator.log.join('\n')).not.toContain(canary);
  });

  it('rule 6: a converged state is left alone, resyncs and restarts included', async () => {
    const w = world();
    const { runtime } = w.start([toyController()], (options) => ({ ...options, resyncMs: 60_000 }));
    for (const name of ['a', 'b']) void w.user.create(PARENTS, parent(name, { size: 3 }));
    await w.simulator.advance(30_000);
    expect(w.writes().length).toBeGreaterThan(0);
    await w.simulator.advance(3_600_000);
    expect(w.writes()).toEqual([]);
    runtime.crash();
    w.start([toyController()]);
    await w.simulator.advance(60_000);
    expect(w.writes()).toEqual([]);
  });

  it.each([0, 1000, 20_000])('rule 7: the next pass waits until the caches show the last writes (watch behind by %i ms)', async (lagMs) => {
    const w = world({ faults: { watchLagMs: [lagMs, lagMs] } });
    // This controller is not idempotent on purpose: a pass that does not observe its own creates would create the objects again.
    const careless = toyController({
      decide: ({ parent: owner, children: found }) => ({
        stages: [
          Array.from({ length: Math.max(0, (owner?.size ?? 0) - found.length) }, (_, index): Action => {
            return { type: 'create', api: 'hub', kind: CHILDREN, id: `child/${index}`, object: child('a', index, { generateName: 'a-' }) };
          }),
        ],
        requeueAfterMs: 100,
      }),
    });
    w.start([careless]);
    void w.user.create(PARENTS, parent('a', { size: 5 }));
    await w.simulator.advance(100_000);
    expect(w.api.objects(CHILD_PATH)).toHaveLength(5);
  });

  it('rule 7: a deleted object counts as seen when the cache no longer has it', async () => {
    const w = world({ faults: { watchLagMs: [5000, 5000] } });
    w.start([toyController()]);
    void w.user.create(PARENTS, parent('a', { size: 2 }));
    await w.simulator.advance(60_000);
    void w.user.patch(PARENTS, key('a'), { type: 'merge', patch: { spec: { size: 0 } } });
    w.writes();
    await w.simulator.advance(60_000);
    expect(w.writes().filter((line) => line.startsWith('DELETE'))).toEqual(['DELETE children/a-0 200', 'DELETE children/a-1 200']);
  });

  describe('rule 8: outcomes are observed', () => {
    function refusing(): { w: World; allow: () => void } {
      let refused = true;
      const w = world({
        admit: (verb, object) => {
          if (refused && verb === 'create' && object.kind === 'Child') throw new ApiError('Invalid', 'spec.index: too small');
        },
      });
      return { w, allow: () => (refused = false) };
    }

    it('a refusal reaches the status, and is not sent again until something changes', async () => {
      const { w } = refusing();
      w.start([toyController()]);
      void w.user.create(PARENTS, parent('a', { size: 1 }));
      await w.simulator.advance(5000);
      expect(statusOf(w, 'a')?.problem).toBe('spec.index: too small');
      w.writes();
      await w.simulator.advance(600_000);
      expect(w.writes()).toEqual([]);
    });

    it('a success clears it', async () => {
      const { w, allow } = refusing();
      w.start([toyController()]);
      void w.user.create(PARENTS, parent('a', { size: 1 }));
      await w.simulator.advance(5000);
      allow();
      void w.user.patch(PARENTS, key('a'), { type: 'merge', patch: { spec: { size: 2 } } });
      await w.simulator.advance(5000);
      expect(statusOf(w, 'a')).toEqual({ ready: 2, problem: '' });
    });

    it('an unknown outcome, after a lost answer or a restart, does not clear a stored failure', async () => {
      const { w, allow } = refusing();
      const { runtime } = w.start([toyController()]);
      void w.user.create(PARENTS, parent('a', { size: 1 }));
      await w.simulator.advance(5000);
      runtime.crash();
      w.faults.dropBefore = 1;
      w.start([toyController()]);
      await w.simulator.advance(60_000);
      expect(statusOf(w, 'a')?.problem).toBe('spec.index: too small');
      allow();
      w.faults.dropBefore = 0;
      await w.simulator.advance(600_000);
      expect(statusOf(w, 'a')).toEqual({ ready: 1, problem: '' });
    });

    it('a refusal of other content than the present one is not shown', async () => {
      const { w } = refusing();
      const seen: (string | undefined)[] = [];
      let index = 0;
      const controller = toyController({
        observe: (view, at, outcomes) => {
          seen.push(outcomes.refusal('child')?.message);
          const owner = view.get(parents, at);
          return owner && { parent: owner, children: [], problem: '', hasSucceeded: false };
        },
        decide: () => ({ stages: [[{ ...createChild('a', index), id: 'child' }]] }),
      });
      const { source } = w.start([controller]);
      void w.user.create(PARENTS, parent('a', { size: 1 }));
      await w.simulator.advance(5000);
      seen.length = 0;
      index = 1;
      w.faults.dropBefore = 1; // The outcome of the new request is unknown; the old error does not apply to it.
      source('toy').wake(key('a'));
      await w.simulator.advance(1000);
      expect(seen.slice(0, 2)).toEqual(['spec.index: too small', undefined]);
    });
  });

  it('rule 9: objects that an absent object left behind are cleaned up', async () => {
    const w = world();
    const { runtime } = w.start([toyController()]);
    void w.user.create(PARENTS, parent('a', { size: 3 }));
    await w.simulator.advance(5000);
    runtime.crash();
    void w.user.delete(PARENTS, key('a')); // the object is deleted while no watch is open
    await w.simulator.advance(5000);
    w.start([toyController()]);
    await w.simulator.advance(5000);
    expect(w.api.objects(CHILD_PATH)).toEqual([]);
  });

  it('rule 10: leaving a reference wakes the key it left', async () => {
    const w = world();
    w.start([toyController()]);
    for (const name of ['a', 'b']) void w.user.create(PARENTS, parent(name, { size: 1 }));
    await w.simulator.advance(5000);
    void w.user.patch(CHILDREN, key('a-0'), { type: 'merge', patch: { spec: { parent: 'b', index: 9 } } });
    await w.simulator.advance(5000);
    // The pass over parent b deletes the child that b does not need, and the pass over parent a, which has lost the child, creates another.
    expect((w.api.objects(CHILD_PATH) as Child[]).map(({ metadata, spec }) => [metadata.name, spec.parent])).toEqual([
      ['a-0', 'a'],
      ['b-0', 'b'],
    ]);
  });

  it('rule 11: at most 500 actions a pass, so a pause takes effect within one batch', async () => {
    const w = world();
    const perPass: number[] = [];
    w.start([
      toyController({
        decide(state) {
          const decision = decideToy(state);
          perPass.push(decision.stages.flat().length);
          return decision;
        },
      }),
    ]);
    void w.user.create(PARENTS, parent('a', { size: 1300 }));
    await w.simulator.runUntil(() => w.api.objects(CHILD_PATH).length > 100);
    void w.user.patch(PARENTS, key('a'), { type: 'merge', patch: { spec: { paused: true } } });
    await w.simulator.advance(60_000);
    expect(w.api.objects(CHILD_PATH)).toHaveLength(500);
    void w.user.patch(PARENTS, key('a'), { type: 'merge', patch: { spec: { paused: false } } });
    await w.simulator.advance(60_000);
    expect(w.api.objects(CHILD_PATH)).toHaveLength(1300);
    expect(perPass[0]).toBe(1300);
  });
});

interface Counting {
  readonly name: string;
  readonly passes: number;
}
type CountingEffects = { readonly count: { readonly by: number } };

/** A controller that counts its passes in its in-memory state. In the first pass an effect adds 10. */
function countingController(seen: number[]): Controller<Counting, number, CountingEffects> {
  return defineController<Counting, number, CountingEffects>({
    name: 'counting',
    watches: [watch(parents, ({ before, after }) => [(after ?? before)?.key ?? { name: '' }])],
    observe: (view, at, { remembered = 0 }) => (view.get(parents, at) ? { name: at.name, passes: remembered } : undefined),
    decide({ passes }) {
      seen.push(passes);
      const stages = passes === 0 ? [[{ type: 'effect', effect: 'count', id: 'count', input: { by: 10 } } as const]] : [];
      return { stages, remember: passes + 1 };
    },
    effects: {
      async count({ by }, { remember }) {
        remember((passes = 0) => passes + by);
      },
    },
  });
}

/** An election whose outcome the test decides. */
function switchedLeader(): Leader & { lead(): void; lose(): void } {
  let listener: LeaderListener | undefined;
  let isLeading = false;
  return {
    get isLeading() {
      return isLeading;
    },
    term: undefined,
    writeTimeoutMs: 1000,
    check: () => undefined,
    start: (one) => void (listener = one),
    stop: async () => undefined,
    lead() {
      isLeading = true;
      listener?.leading();
    },
    lose() {
      isLeading = false;
      listener?.lost('the test says so');
    },
  };
}

describe('rule 12: memory', () => {
  it('the next pass of a key gets the memory of a decision and then of an effect, and an effect queues that pass', async () => {
    const w = world();
    const seen: number[] = [];
    w.start([countingController(seen)]);
    void w.user.create(PARENTS, parent('a', { size: 0 }));
    await w.simulator.advance(5000);
    expect(seen).toEqual([0, 11]);
  });

  it('each key has its own memory, a resync keeps it, and a key without state loses it', async () => {
    const w = world();
    const seen: number[] = [];
    const { source } = w.start([countingController(seen)]);
    for (const name of ['a', 'b']) void w.user.create(PARENTS, parent(name, { size: 0 }));
    await w.simulator.advance(5000);
    source('counting').wake(key('b'));
    await w.simulator.advance(100);
    expect(seen.toSorted((x, y) => x - y)).toEqual([0, 0, 11, 11, 12]);
    void w.user.delete(PARENTS, key('a'));
    await w.simulator.advance(5000);
    seen.length = 0;
    void w.user.create(PARENTS, parent('a', { size: 0 }));
    await w.simulator.advance(5000);
    expect(seen).toEqual([0, 11]);
  });

  it('a process that leads again starts without the memory of its earlier term, also if an effect of that term ends later', async () => {
    const w = world();
    const seen: number[] = [];
    const counting = countingController(seen);
    const blocked: (() => void)[] = [];
    const slow: typeof counting = {
      ...counting,
      effects: {
        async count({ by }, { remember }) {
          await new Promise<void>((end) => blocked.push(end));
          remember((passes = 0) => passes + by);
        },
      },
    };
    const leader = switchedLeader();
    w.start([slow], (options) => ({ ...options, leader }));
    void w.user.create(PARENTS, parent('a', { size: 0 }));
    await w.simulator.advance(5000);
    leader.lead();
    await w.simulator.advance(5000);
    expect(seen).toEqual([0]);
    leader.lose();
    leader.lead();
    await w.simulator.advance(5000);
    for (const end of blocked.splice(0)) end();
    await w.simulator.advance(5000);
    for (const end of blocked.splice(0)) end();
    await w.simulator.advance(5000);
    expect(seen).toEqual([0, 0, 11]);
  });

  it('a pass that throws leaves it unchanged', async () => {
    const w = world();
    const seen: number[] = [];
    const controller = countingController(seen);
    let hasFailed = false;
    const failing: Controller<Counting, number, CountingEffects> = {
      ...controller,
      decide(state, now) {
        const decision = controller.decide(state, now);
        if (state.passes !== 11 || hasFailed) return decision;
        hasFailed = true;
        throw new Error('poison');
      },
    };
    w.start([failing]);
    void w.user.create(PARENTS, parent('a', { size: 0 }));
    await w.simulator.advance(60_000);
    expect(seen).toEqual([0, 11, 11]);
  });
});

describe('rule 13: sources', () => {
  /** A source that a test can trigger, and the controller whose keys the source wakes. */
  function sourced(): {
    passes: string[];
    log: string[];
    fire: (name: string) => void;
    controller: AnyController;
    context: () => SourceContext;
  } {
    const passes: string[] = [];
    const log: string[] = [];
    let context: SourceContext | undefined;
    const source: Source = {
      start(given) {
        context = given;
        log.push('started');
        given.wake(key('early'));
        return () => log.push('stopped');
      },
    };
    const controller = defineController<string>({
      name: 'sourced',
      watches: [watch(parents, () => [])],
      sources: [source],
      observe: (view, { name }) => `${name} ${view.isComplete(children)}`,
      decide(state) {
        passes.push(state);
        return { stages: [] };
      },
    });
    return { passes, log, controller, fire: (name) => context?.wake(key(name)), context: () => context as SourceContext };
  }

  it('starts with the manager, wakes keys without a projection, and stops with it', async () => {
    const w = world();
    const { passes, log, fire, controller } = sourced();
    const { manager } = w.start([controller]);
    expect(log).toEqual(['started']);
    await w.simulator.advance(1000);
    expect(passes).toEqual(['early false']);
    fire('late');
    await w.simulator.advance(1000);
    expect(passes).toEqual(['early false', 'late false']);
    void manager.stop();
    await w.simulator.advance(1000);
    expect(log).toEqual(['started', 'stopped']);
    fire('gone');
    await w.simulator.advance(1000);
    expect(passes).toHaveLength(2);
  });

  it('adds watches that the controller reads but does not wait for', async () => {
    const w = world();
    const { passes, controller, context } = sourced();
    w.start([controller]);
    const stop = context().watch(
      watch(children, ({ after }) => (after ? [after.key] : [])),
      () => context().wake(key('complete')),
    );
    await w.simulator.advance(1000);
    expect(passes).toContain('complete true');
    void w.user.create(CHILDREN, child('a', 0));
    await w.simulator.advance(1000);
    expect(passes.at(-1)).toBe('a-0 true');
    stop();
    void w.user.create(CHILDREN, child('a', 1));
    await w.simulator.advance(1000);
    expect(passes.at(-1)).toBe('a-0 true');
  });

  it('a manager waits for beforeStart, and calls onStop when nothing of it runs', async () => {
    const w = world();
    const { log, controller } = sourced();
    const { manager } = w.start([controller], (options) => ({
      ...options,
      beforeStart: async () => {
        await options.runtime.timers.sleep(500);
        log.push('ready');
      },
      onStop: () => log.push('ended'),
    }));
    await w.simulator.advance(100);
    expect([log, manager.isSynced]).toEqual([[], false]);
    await w.simulator.advance(1000);
    expect([log, manager.isSynced]).toEqual([['ready', 'started'], true]);
    void manager.stop();
    await w.simulator.advance(1000);
    expect(log).toEqual(['ready', 'started', 'stopped', 'ended']);
  });
});

describe('a controller that reads a resource without watching it', () => {
  it('finds it in the cache', async () => {
    const w = world();
    const seen: number[] = [];
    const reader: Controller<number> = defineController({
      name: 'reader',
      watches: [watch(parents, ({ after }) => (after ? [after.key] : []))],
      reads: [children],
      observe: (view, at) => view.byIndex(children, 'parent', at.name).length,
      decide: (count) => {
        seen.push(count);
        return { stages: [] };
      },
    });
    void w.user.create(CHILDREN, child('a', 0));
    await w.simulator.advance(100);
    w.start([reader]);
    void w.user.create(PARENTS, parent('a', { size: 0 }));
    await w.simulator.advance(5000);
    expect(seen).toEqual([1]);
  });
});
