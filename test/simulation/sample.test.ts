import { beforeAll, describe, expect, it } from 'vitest';
import { type PreparedWorld, compareWithoutFaults, examine, generate, prepareWorld } from '@outrigger/simulator';
import { runLayer1 } from '../../tools/simulate/processes.js';

/** The number of seeds in the sample. `npm run simulate` runs more. */
const SEEDS = Number(process.env['OUTRIGGER_SIMULATIONS'] ?? 30);
const PARTS = 3;

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

describe('generated histories of people and faults', () => {
  it.each(Array.from({ length: PARTS }, (_, part) => part))('break no promise (%i)', async (part) => {
    const count = Math.ceil(SEEDS / PARTS);
    const [findings] = await runLayer1(['--from', String(part * count), '--count', String(count), '--processes', '1', '--no-shrink']);
    const [failure] = findings?.failures ?? [];
    if (failure) expect.fail(`npm run simulate -- --seed ${failure.seed}\n${failure.rule}: ${failure.message}\n${failure.story}`);
    expect(findings?.runs).toBe(count);
  });

  it('end as they do without their faults', async () => {
    expect(await compareWithoutFaults(generate(2, { faulty: 1 }), prepared)).toEqual([]);
  });

  it('give the same log every time', async () => {
    const logOf = async (): Promise<string> => {
      const { result } = await examine(generate(7), prepared);
      return JSON.stringify(result.log.map(({ at, actor, id, after }) => [at, actor.name, id, after]));
    };
    expect(await logOf()).toBe(await logOf());
  });
});
