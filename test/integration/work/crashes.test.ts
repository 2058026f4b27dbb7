import { type AppliedManifestWork, appliedManifestWorks, manifestWorks } from '@outrigger/api';
import type { ApiRequest } from '@outrigger/core';
import type { Faults } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { type SimulatedWorkWorld, createSimulatedWorld } from './simulated-world.js';
import {
  CLUSTER_NAME,
  applied,
  configMap,
  configMaps,
  createWork,
  deployment,
  deployments,
  editWork,
  gone,
  appliedWorkOf,
} from './world.js';
import type { Interference } from '../../world/simulated.js';

/** The agent's objects on the cluster: those that exist, and those that the applied work lists. */
interface Left {
  readonly standing: readonly string[];
  readonly listed: readonly string[];
}

async function left(world: SimulatedWorkWorld, namespace: string, appliedWork: AppliedManifestWork | undefined): Promise<Left> {
  const names = async (kind: typeof configMaps): Promise<string[]> =>
    (await world.cluster.list(kind, { namespace })).items
      .map(({ metadata }) => metadata.name ?? '')
      .filter((name) => name !== 'kube-root-ca.crt');
  return {
    standing: [...(await names(configMaps)), ...(await names(deployments))].sort(),
    listed: (appliedWork?.status?.appliedResources ?? []).map(({ name, uid }) => (uid ? name : `${name} without uid`)).sort(),
  };
}

/**
 * The agent crashes at a write that `interfere` selects. While it is down, the work changes: `b` is removed, `c` is added. A new agent must
 * reach the same state as an agent that never crashed, whatever the crashed agent wrote.
 */
async function story(interfere: Interference): Promise<{ edited: Left; removed: Left }> {
  const world = await createSimulatedWorld(1, false);
  return world.run(async () => {
    const namespace = await world.newNamespace();
    world.startAgent(interfere);
    const work = await createWork(world, [configMap(namespace, 'a'), configMap(namespace, 'b'), deployment(namespace, 'app')]);
    for (let waited = 0; waited < 50 && !world.isDown; waited++) await world.pause(100);
    await editWork(world, work, [configMap(namespace, 'a', { a: '2' }), configMap(namespace, 'c'), deployment(namespace, 'app')]);
    await applied(world, work);
    await gone(world, configMaps, { namespace, name: 'b' });
    const edited = await world.eventually('the applied work is settled', async () => {
      const found = await left(world, namespace, await appliedWorkOf(world, work));
      return found.listed.length === 3 ? found : undefined;
    });
    await world.hub.delete(manifestWorks, { namespace: CLUSTER_NAME, name: work });
    await world.eventually('works and records are gone', async () => {
      const works = await world.hub.list(manifestWorks, { namespace: CLUSTER_NAME });
      const records = await world.cluster.list(appliedManifestWorks);
      return works.items.length + records.items.length === 0 ? true : undefined;
    });
    await world.pause(5_000);
    const removed = await left(world, namespace, undefined);
    world.crash();
    return { edited, removed };
  });
}

const isWrite = ({ method }: ApiRequest): boolean => method !== 'GET';

function crashAtWrite(at: number, when: 'crash before' | 'crash after'): Interference {
  let writes = 0;
  return (request) => (isWrite(request) && ++writes === at ? when : 'pass');
}

describe('AT-44 an agent that dies at any write', () => {
  it('leaves no object behind and creates none twice', async () => {
    let writes = 0;
    const undisturbed = await story((request) => {
      if (isWrite(request)) writes++;
      return 'pass';
    });
    expect(undisturbed).toEqual({
      edited: { standing: ['a', 'app', 'c'], listed: ['a', 'app', 'c'] },
      removed: { standing: [], listed: [] },
    });
    expect(writes).toBeGreaterThan(8);
    for (let at = 1; at <= writes; at++) {
      for (const when of ['crash before', 'crash after'] as const) {
        expect({ at, when, ...(await story(crashAtWrite(at, when))) }).toEqual({ at, when, ...undisturbed });
      }
    }
  });
});

const FAULTY_NETWORK: Faults = { latencyMs: [1, 40], watchLagMs: [0, 2_000], dropBefore: 0.05, dropAfter: 0.05, breakWatch: 0.03 };

/**
 * Creates, changes and deletes works that share an object, while requests are lost, watches lag and break, and the agent crashes
 * repeatedly.
 */
async function storm(seed: number): Promise<{ before: Left; after: Left }> {
  const world = await createSimulatedWorld(seed, false);
  return world.run(async () => {
    const namespace = await world.newNamespace();
    for (let life = 0, at = 0; life < 6; life++) {
      at += 500 + world.simulator.random.next() * 5_000;
      world.simulator.schedule(at, () => {
        world.crash();
        world.startAgent(undefined, FAULTY_NETWORK);
      });
    }
    const first = await createWork(world, [configMap(namespace, 'shared'), configMap(namespace, 'a'), deployment(namespace, 'app')]);
    const second = await createWork(world, [configMap(namespace, 'shared'), configMap(namespace, 'b')]);
    await world.pause(world.simulator.random.next() * 4_000);
    await editWork(world, first, [configMap(namespace, 'a', { a: '2' }), configMap(namespace, 'c')]);
    await world.pause(world.simulator.random.next() * 4_000);
    await world.cluster.delete(configMaps, { namespace, name: 'b' }).catch(() => undefined);
    await editWork(world, second, [configMap(namespace, 'shared'), configMap(namespace, 'b', { a: '3' })]);
    await world.pause(40_000);
    await applied(world, first);
    await applied(world, second);
    await gone(world, deployments, { namespace, name: 'app' });
    const appliedWork = await appliedWorkOf(world, second);
    const before = await left(world, namespace, appliedWork);
    for (const name of [first, second]) await world.hub.delete(manifestWorks, { namespace: CLUSTER_NAME, name });
    await world.eventually('works and records are gone', async () => {
      const works = await world.hub.list(manifestWorks, { namespace: CLUSTER_NAME });
      const records = await world.cluster.list(appliedManifestWorks);
      return works.items.length + records.items.length === 0 ? true : undefined;
    });
    await world.pause(10_000);
    const after = await left(world, namespace, undefined);
    world.crash();
    return { before, after };
  });
}

/**
 * Seeds that once ended in a wrong state. With 565, the response to a create was lost, the work was edited, and the agent assumed that the
 * object was never created. With 843, conflicts from a lagging cache made the delay after one lost request half a minute long, too long for
 * this test.
 */
const REMEMBERED = [565, 843];

describe('AT-44 an agent under faults', () => {
  const seeds = Array.from({ length: Number(process.env['OUTRIGGER_SEEDS'] ?? 12) }, (_, index) => index + 1);
  it.each([...new Set([...seeds, ...REMEMBERED])])('reaches the same state (seed %i)', async (seed) => {
    expect(await storm(seed)).toEqual({
      before: { standing: ['a', 'b', 'c', 'shared'], listed: ['b', 'shared'] },
      after: { standing: [], listed: [] },
    });
  });
});
