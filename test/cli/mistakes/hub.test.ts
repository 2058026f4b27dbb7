import { type KubeObject, parseApiVersion } from '@outrigger/core';
import { parseYaml } from '@outrigger/core/yaml';
import type { Client } from '@outrigger/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startCliWorld } from '../world.js';
import { HUB_ROWS } from './hub-rows.js';
import { LINT_ROWS } from './lint-rows.js';

describe('a hub answers the mistakes of a new user', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
  });
  afterAll(() => world.stop());

  it('all 32 have a row', () => {
    const numbers = new Set([...HUB_ROWS, ...LINT_ROWS].map(({ mistake }) => mistake));
    expect(Array.from({ length: 32 }, (_, index) => index + 1).filter((number) => !numbers.has(number))).toEqual([]);
  });

  it.each(HUB_ROWS.map((row, index) => ({ ...row, name: `m${row.mistake}-${index}` })))(
    '$mistake: $title',
    async ({ name, given = '', text, refused, why = [], never = [], row }) => {
      const named = (one: string): string => one.replaceAll('NAME', name);
      await applyAll(world.fleet.hub, named(given));
      if (text !== undefined) await expect(applyAll(world.fleet.hub, named(text))).rejects.toThrow(refused);
      if (why.length === 0) return;
      const { out } = await world.eventually(`why ${name} prints ${why.join(' and ')}`, async () => {
        const ran = await world.outrigger('why', name, '--cluster', 'cluster1');
        const all = { ...ran, out: `${ran.out}${ran.note}` };
        return why.every((one) => all.out.includes(named(one))) && never.every((one) => !all.out.includes(named(one))) ? all : undefined;
      });
      for (const one of never) expect(out).not.toContain(named(one));
      if (row) expect((await world.outrigger('get', 'addons')).out).toMatch(new RegExp(named(row.source), row.flags));
    },
  );
});

/** Applies objects as kubectl does, so that unknown fields are rejected. */
async function applyAll(hub: Client, text: string): Promise<void> {
  for (const object of parseYaml(text) as KubeObject[]) {
    const kind = await hub.discovery.kindOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    if (!kind) throw new Error(`the hub serves no ${object.apiVersion} ${object.kind}`);
    await hub.apply(kind, object, { fieldManager: 'kubectl', fieldValidation: 'Strict' });
  }
}
