import { type KubeObject, parseApiVersion } from '@outrigger/core';
import { parseYaml } from '@outrigger/core/yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HUB_ROWS } from '../cli/mistakes/hub-rows.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('a real API server refuses the mistakes of a new user', () => {
  let world: KubeHub;
  beforeAll(async () => {
    world = await startKubeHub();
  }, 180_000);
  afterAll(() => world.stop());

  it.each(HUB_ROWS.filter(({ refused }) => refused !== undefined))('$mistake: $title', async ({ mistake, text = '', refused }) => {
    const [object] = parseYaml(text.replaceAll('NAME', `m${mistake}`)) as KubeObject[];
    if (!object) throw new Error('the row has no object');
    const kind = await world.hub.discovery.kindOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    if (!kind) throw new Error(`the hub serves no ${object.kind}`);
    const applied = world.hub.apply(kind, object, { fieldManager: 'kubectl', fieldValidation: 'Strict' });
    await expect(applied).rejects.toThrow(refused);
  });
});
