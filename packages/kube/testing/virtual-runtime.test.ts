import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPrng } from './prng.js';
import { Simulator } from './simulator.js';
import { createVirtualRuntime } from './virtual-runtime.js';

describe('virtual time', () => {
  it('runs timers in the order of their instants, equal ones as they were set', async () => {
    const simulator = new Simulator({ seed: 1 });
    const { timers, clock } = createVirtualRuntime(simulator, 'p');
    const ran: string[] = [];
    timers.after(20, () => ran.push(`c@${clock.monotonic()}`));
    timers.after(10, () => ran.push(`a@${clock.monotonic()}`));
    timers.after(10, () => ran.push(`b@${clock.monotonic()}`));
    timers.after(5, () => ran.push('cancelled'))();
    await simulator.advance(15);
    expect(ran).toEqual(['a@10', 'b@10']);
    await simulator.advance(15);
    expect(ran).toEqual(['a@10', 'b@10', 'c@20']);
    expect(clock.monotonic()).toBe(30);
  });

  it('runs every promise a task sets off before the next task', async () => {
    const simulator = new Simulator({ seed: 1 });
    const { timers } = createVirtualRuntime(simulator, 'p');
    const ran: string[] = [];
    timers.after(1, () => {
      void (async () => {
        for (let i = 0; i < 50; i++) await Promise.resolve();
        ran.push('promises');
      })();
    });
    timers.after(1, () => ran.push('next task'));
    await simulator.advance(1);
    expect(ran).toEqual(['promises', 'next task']);
  });

  it('skew moves the wall clock of one process and no monotonic one', () => {
    const simulator = new Simulator({ seed: 1 });
    const [a, b] = [createVirtualRuntime(simulator, 'a'), createVirtualRuntime(simulator, 'b')];
    a.skew(-3_600_000);
    expect(a.clock.now() - b.clock.now()).toBe(-3_600_000);
    expect(a.clock.monotonic()).toBe(b.clock.monotonic());
  });

  it('a frozen process runs its due tasks when it thaws', async () => {
    const simulator = new Simulator({ seed: 1 });
    const { timers, clock, freeze } = createVirtualRuntime(simulator, 'p');
    const ran: number[] = [];
    timers.after(10, () => ran.push(clock.monotonic()));
    freeze(100.1 + 0.2);
    await simulator.advance(100);
    expect(ran).toEqual([]);
    await simulator.advance(100);
    expect(ran).toEqual([100.1 + 0.2]);
  });

  it('an aborted sleep rejects at once', async () => {
    const { timers } = createVirtualRuntime(new Simulator({ seed: 1 }), 'p');
    const stop = new AbortController();
    const slept = timers.sleep(1000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(slept).rejects.toThrow('enough');
  });
});

describe('a crash', () => {
  it('cuts everything of the process and of its children, and nothing of others', async () => {
    const simulator = new Simulator({ seed: 1 });
    const [a, b] = [createVirtualRuntime(simulator, 'a'), createVirtualRuntime(simulator, 'b')];
    const ran: string[] = [];
    a.timers.after(10, () => ran.push('a timer'));
    void a.timers.sleep(10).then(() => ran.push('a sleep'));
    void a.timers.yield().then(() => ran.push('a yield'));
    void a.keys.generate('P-256').then(() => ran.push('a key'));
    a.scope.signal.addEventListener('abort', () => ran.push('a abort handler'));
    const part = a.scope.child('part');
    b.timers.after(10, () => ran.push('b timer'));
    a.crash();
    await simulator.advance(100);
    expect(ran).toEqual(['b timer']);
    expect([a.scope.isCut, part.isCut, b.scope.isCut]).toEqual([true, true, false]);
  });

  it('an orderly close, in contrast, aborts the signal', () => {
    const { scope } = createVirtualRuntime(new Simulator({ seed: 1 }), 'p');
    const child = scope.child('part');
    child.close();
    expect([child.signal.aborted, scope.signal.aborted]).toEqual([true, false]);
  });
});

describe('randomness', () => {
  it('depends on the seed and the name of the process, and on nothing else', () => {
    const draw = (seed: number, name: string): string => createVirtualRuntime(new Simulator({ seed }), name).random.uuid();
    expect(draw(1, 'a')).toBe(draw(1, 'a'));
    expect(new Set([draw(1, 'a'), draw(1, 'b'), draw(2, 'a')]).size).toBe(3);
    expect(draw(1, 'a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('is spread evenly enough', () => {
    const { next } = createPrng('x');
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i++) {
      const bucket = Math.floor(next() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(Math.min(...buckets)).toBeGreaterThan(850);
    expect(Math.max(...buckets)).toBeLessThan(1150);
  });
});

describe('keys', () => {
  it.each(['P-256', 'RSA-2048'] as const)(
    'a %s pair and its signatures are functions of the seed, and WebCrypto accepts them',
    async (algorithm) => {
      const make = async (seed: number): Promise<string> => {
        const simulator = new Simulator({ seed });
        const { keys } = createVirtualRuntime(simulator, 'p');
        let done = '';
        void (async () => {
          const { privateKey, publicKey } = await keys.generate(algorithm);
          const { subtle } = keys;
          const params = algorithm === 'P-256' ? { name: 'ECDSA', hash: 'SHA-256' } : 'RSASSA-PKCS1-v1_5';
          const text = new TextEncoder().encode('hello');
          const signature = await subtle.sign(params, privateKey, text);
          const isValid = await subtle.verify(params, publicKey, signature, text);
          const spki = Buffer.from(await subtle.exportKey('spki', publicKey));
          done = `${isValid} ${createHash('sha256').update(spki).update(Buffer.from(signature)).digest('hex')}`;
        })();
        await simulator.runUntil(() => done !== '');
        return done;
      };
      const first = await make(1);
      expect(first).toMatch(/^true /);
      expect(await make(1)).toBe(first);
      expect(await make(2)).not.toBe(first);
    },
  );

  it('results come in the order they were asked for, however long each takes', async () => {
    const simulator = new Simulator({ seed: 1 });
    const { keys } = createVirtualRuntime(simulator, 'p');
    const { subtle } = keys;
    const finished: number[] = [];
    const sizes = [5_000_000, 10, 1_000_000, 1];
    for (const [i, size] of sizes.entries()) void subtle.digest('SHA-256', new Uint8Array(size)).then(() => finished.push(i));
    await simulator.advance(0);
    expect(finished).toEqual([0, 1, 2, 3]);
  });
});
