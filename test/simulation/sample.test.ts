import { beforeAll, describe, expect, it } from 'vitest';
import { type PreparedWorld, compareWithoutFaults, examine, generate, prepareWorld } from '@outrigger/simulator';
import { runLayer1 } from '../../tools/simulate/processes.js';
import { failureOf, runSeed } from '../../tools/simulate/report.js';

/** The number of seeds in the sample. `npm run simulate` runs more. */
const SEEDS = Number(process.env['OUTRIGGER_SIMULATIONS'] ?? 30);

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

describe('generated histories of people and faults', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))('break no promise (seed %i)', async (seed) => {
    const examined = await runSeed(seed, prepared);
    if (examined.violations.length === 0) return;
    const { rule, message, story } = await failureOf(examined, prepared, false);
    expect.fail(`npm run simulate -- --seed ${seed}\n${rule}: ${message}\n${story}`);
  });

  it('run in processes of their own', async () => {
    const findings = await runLayer1(['--from', '1', '--count', '2', '--processes', '2', '--no-shrink']);
    expect(findings.map(({ runs, failures }) => [runs, failures])).toEqual([
      [1, []],
      [1, []],
    ]);
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
