import { beforeAll, describe, expect, it } from 'vitest';
import { type PreparedWorld, compareWithoutFaults, examine, generate, prepareWorld, story } from '@outrigger/simulator';

/** The number of seeds in the sample. `npm run simulate` runs more. */
const SEEDS = Number(process.env['OUTRIGGER_SIMULATIONS'] ?? 20);
const PARTS = 4;

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

describe('generated histories of people and faults', () => {
  it.each(Array.from({ length: PARTS }, (_, part) => part))('break no promise (%i)', async (part) => {
    for (let seed = part; seed < SEEDS; seed += PARTS) {
      const { result, violations } = await examine(generate(seed), prepared);
      if (violations.length > 0) expect.fail(`npm run simulate -- --seed ${seed}\n${story(result, violations)}`);
    }
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
