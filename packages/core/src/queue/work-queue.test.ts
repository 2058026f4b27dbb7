import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Urgency, WorkQueue } from './work-queue.js';

function drain(queue: WorkQueue, now: number): string[] {
  const taken: string[] = [];
  for (let key = queue.take(now); key !== undefined; key = queue.take(now)) taken.push(key);
  return taken;
}

describe('work queue', () => {
  const cases: { name: string; run: (queue: WorkQueue) => unknown; want: unknown }[] = [
    {
      name: 'hands out keys in the order they came, each once',
      run: (queue) => {
        for (const key of ['b', 'a', 'b', 'c', 'a']) queue.add(key, 0);
        return drain(queue, 0);
      },
      want: ['b', 'a', 'c'],
    },
    {
      name: 'does not hand out a key that is being processed',
      run: (queue) => {
        queue.add('a', 0);
        queue.take(0);
        queue.add('a', 0);
        const during = drain(queue, 0);
        queue.done('a', 0);
        return [during, drain(queue, 0)];
      },
      want: [[], ['a']],
    },
    {
      name: 'takes fresh keys ahead of background keys',
      run: (queue) => {
        queue.add('resync', 0, 'background');
        queue.add('changed', 0);
        return drain(queue, 0);
      },
      want: ['changed', 'resync'],
    },
    {
      name: 'promotes a background key that changes, without handing it out twice',
      run: (queue) => {
        queue.add('a', 0, 'background');
        queue.add('b', 0, 'background');
        queue.add('b', 0, 'fresh');
        return [queue.depth, drain(queue, 0), queue.depth];
      },
      want: [2, ['b', 'a'], 0],
    },
    {
      name: 'takes one background key after sixteen fresh ones',
      run: (queue) => {
        queue.add('retry', 0, 'background');
        for (let i = 0; i < 40; i++) queue.add(`k${i}`, 0);
        return drain(queue, 0).indexOf('retry');
      },
      want: 16,
    },
    {
      name: 'the earliest of several delayed adds is used',
      run: (queue) => {
        queue.addAfter('a', 50, 0);
        queue.addAfter('a', 10, 0);
        queue.addAfter('a', 30, 0);
        return [queue.nextDueAt(), queue.take(9), queue.take(10), queue.nextDueAt()];
      },
      want: [10, undefined, 'a', undefined],
    },
    {
      name: 'a pass before the delay is over replaces the delayed add',
      run: (queue) => {
        queue.addAfter('a', 50, 0);
        queue.add('a', 0);
        queue.take(0);
        queue.done('a', 0);
        return [queue.nextDueAt(), queue.take(100)];
      },
      want: [undefined, undefined],
    },
    {
      name: 'a key rests after a pass, whatever comes in',
      run: (queue) => {
        queue.add('a', 0);
        queue.take(0);
        queue.done('a', 0, 100);
        queue.add('a', 1);
        return [queue.take(99), queue.nextDueAt(), queue.take(100)];
      },
      want: [undefined, 100, 'a'],
    },
    {
      name: 'setbacks of a key add up, each sort by itself, until it is forgotten',
      run: (queue) => {
        const counts = [queue.fail('a', 'stale'), queue.fail('a', 'stale'), queue.fail('a', 'failed'), queue.fail('b', 'failed')];
        const before = queue.setbacks('a');
        queue.forget('a');
        return [...counts, before, queue.setbacks('a'), queue.setbacks('b')];
      },
      want: [1, 2, 1, 1, 3, 0, 1],
    },
    {
      name: 'is settled if no key waits, is processed or rests; delayed keys do not count',
      run: (queue) => {
        const seen = [queue.isSettled];
        const note = (): void => void seen.push(queue.isSettled);
        queue.addAfter('later', 50, 0);
        note();
        queue.add('a', 0);
        note();
        queue.take(0);
        note();
        queue.add('a', 1);
        queue.done('a', 1, 10);
        note();
        queue.take(11);
        queue.done('a', 11);
        note();
        return seen;
      },
      want: [true, true, false, false, false, true],
    },
    {
      name: 'clear drops the waiting keys, and keys in process can finish',
      run: (queue) => {
        queue.add('a', 0);
        queue.take(0);
        queue.add('a', 0);
        queue.add('b', 0);
        queue.addAfter('c', 5, 0);
        queue.clear();
        queue.done('a', 0);
        return [drain(queue, 10), queue.depth, queue.nextDueAt()];
      },
      want: [[], 0, undefined],
    },
    {
      name: 'the end of a rest from before clear does not hand out a key in process',
      run: (queue) => {
        queue.add('a', 0);
        queue.take(0);
        queue.done('a', 0, 5);
        queue.clear();
        queue.add('a', 1);
        const taken = [queue.take(1), queue.take(6)];
        queue.add('a', 6);
        return [...taken, queue.take(6)];
      },
      want: ['a', undefined, undefined],
    },
  ];
  it.each(cases)('$name', ({ run, want }) => expect(run(new WorkQueue())).toEqual(want));
});

/** A naive model of the queue: a list of waiting keys and a few maps. */
class Model {
  ready: { key: string; urgency: Urgency }[] = [];
  processing = new Map<string, Urgency | undefined>();
  due = new Map<string, { at: number; urgency: Urgency }>();
  restUntil = new Map<string, number>();

  add(key: string, now: number, urgency: Urgency): void {
    if (this.processing.has(key)) {
      const again = this.processing.get(key);
      this.processing.set(key, again === 'fresh' ? 'fresh' : urgency);
    } else if ((this.restUntil.get(key) ?? 0) > now) this.delay(key, this.restUntil.get(key) as number, urgency);
    else {
      const waiting = this.ready.find((item) => item.key === key);
      if (waiting?.urgency === 'background' && urgency === 'fresh') this.ready = this.ready.filter((item) => item !== waiting);
      if (!this.ready.some((item) => item.key === key)) this.ready.push({ key, urgency });
    }
  }
  delay(key: string, at: number, urgency: Urgency): void {
    const old = this.due.get(key);
    this.due.set(key, { at: Math.min(at, old?.at ?? at), urgency: old?.urgency === 'fresh' ? 'fresh' : urgency });
  }
  promote(now: number): void {
    for (const [key, { at, urgency }] of this.due) {
      if (at > now) continue;
      this.due.delete(key);
      this.add(key, now, urgency);
    }
  }
  mayTake(key: string): boolean {
    return this.ready.some((item) => item.key === key) && !this.processing.has(key);
  }
  take(key: string): void {
    this.ready = this.ready.filter((item) => item.key !== key);
    this.due.delete(key);
    this.processing.set(key, undefined);
  }
  done(key: string, now: number, restMs: number): void {
    const again = this.processing.get(key);
    this.processing.delete(key);
    if (restMs > 0) this.restUntil.set(key, now + restMs);
    if (again) this.add(key, now, again);
  }
  clear(): void {
    this.ready = [];
    this.due.clear();
    this.restUntil.clear();
    for (const key of this.processing.keys()) this.processing.set(key, undefined);
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'd');
const urgencies = fc.constantFrom<Urgency>('fresh', 'background');
const commands = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('add' as const), key: keys, urgency: urgencies }),
    fc.record({ type: fc.constant('after' as const), key: keys, urgency: urgencies, delayMs: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ type: fc.constant('take' as const) }),
    fc.record({ type: fc.constant('done' as const), key: keys, restMs: fc.constantFrom(0, 0, 5) }),
    fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ type: fc.constant('clear' as const) }),
  ),
  { maxLength: 60 },
);

describe('work queue against a naive model', () => {
  it('hands out exactly the keys that wait, never one that is processed, and forgets none', () => {
    fc.assert(
      fc.property(commands, (sequence) => {
        const queue = new WorkQueue();
        const model = new Model();
        let now = 0;
        for (const command of sequence) {
          switch (command.type) {
            case 'add':
              queue.add(command.key, now, command.urgency);
              model.add(command.key, now, command.urgency);
              break;
            case 'after':
              queue.addAfter(command.key, command.delayMs, now, command.urgency);
              if (command.delayMs === 0) model.add(command.key, now, command.urgency);
              else model.delay(command.key, now + command.delayMs, command.urgency);
              break;
            case 'take': {
              model.promote(now);
              const key = queue.take(now);
              if (key === undefined) expect(model.ready).toEqual([]);
              else {
                expect(model.mayTake(key)).toBe(true);
                model.take(key);
              }
              break;
            }
            case 'done':
              if (!model.processing.has(command.key)) break;
              queue.done(command.key, now, command.restMs);
              model.done(command.key, now, command.restMs);
              break;
            case 'wait':
              now += command.ms;
              break;
            case 'clear':
              queue.clear();
              model.clear();
          }
          const earliest = [...model.due.values()].map(({ at }) => at);
          expect(queue.nextDueAt()).toBe(earliest.length > 0 ? Math.min(...earliest) : undefined);
          expect(queue.depth).toBe(model.ready.length);
        }
        for (const key of model.processing.keys()) {
          queue.done(key, now);
          model.done(key, now, 0);
        }
        model.promote(now + 100);
        expect(drain(queue, now + 100).sort()).toEqual(model.ready.map(({ key }) => key).sort());
      }),
      { numRuns: 1000 },
    );
  });
});
