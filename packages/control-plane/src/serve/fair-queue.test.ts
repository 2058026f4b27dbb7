import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';

describe('a fair queue', () => {
  it('gives waiting callers turns, however long one of them queues', async () => {
    const queue = new FairQueue({ concurrent: 1, waitingPerCaller: 100 });
    const order: string[] = [];
    const run = (caller: string, i: number): Promise<void> =>
      queue.run(caller, async () => {
        order.push(`${caller}${i}`);
        await Promise.resolve();
      });
    const flood = Array.from({ length: 6 }, (_, i) => run('a', i));
    await Promise.all([...flood, run('b', 0), run('b', 1), run('c', 0)]);
    expect(order).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4', 'a5']);
  });

  it('never runs more at once than it may, and frees the place of a task that fails', async () => {
    const queue = new FairQueue({ concurrent: 3, waitingPerCaller: 100 });
    let running = 0;
    let most = 0;
    const tasks = Array.from({ length: 50 }, (_, i) =>
      queue.run(String(i % 4), async () => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        if (i % 5 === 0) throw new Error('no');
      }),
    );
    const results = await Promise.allSettled(tasks);
    expect(most).toBe(3);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    await expect(queue.run('x', async () => 'still works')).resolves.toBe('still works');
  });

  it('refuses a caller whose queue is full, and no other caller', async () => {
    const queue = new FairQueue({ concurrent: 1, waitingPerCaller: 2 });
    const tasks = ['a', 'a', 'a', 'a', 'b'].map((caller) => queue.run(caller, async () => caller));
    const results = await Promise.allSettled(tasks);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as { code: number }).code))).toEqual([
      'a',
      'a',
      'a',
      429,
      'b',
    ]);
  });
});
