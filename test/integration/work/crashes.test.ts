import { type AppliedManifestWork, appliedManifestWorks, manifestWorks } from '@outrigger/api';
import type { ApiRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { type Interference, type SimulatedWorld, createSimulatedWorld } from './simulated-world.js';
import { CLUSTER_NAME, applied, configMap, configMaps, createWork, deployment, deployments, editWork, gone, recordOf } from './world.js';

/** Everything of ours on the cluster: what stands, what the record lists. */
interface Left {
  readonly standing: readonly string[];
  readonly listed: readonly string[];
}

async function left(world: SimulatedWorld, namespace: string, record: AppliedManifestWork | undefined): Promise<Left> {
  const names = async (kind: typeof configMaps): Promise<string[]> =>
    (await world.cluster.list(kind, { namespace })).items
      .map(({ metadata }) => metadata.name ?? '')
      .filter((name) => name !== 'kube-root-ca.crt');
  return {
    standing: [...(await names(configMaps)), ...(await names(deployments))].sort(),
    listed: (record?.status?.appliedResources ?? []).map(({ name, uid }) => (uid ? name : `${name} without uid`)).sort(),
  };
}

/**
 * A work is made, the agent dies at its `at`-th write, and while it is down the work changes: `b` is out, `c` is in. A new agent must
 * come to the same end as one that never died, whatever the dead one had and had not done.
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
    const edited = await world.eventually('the record is settled', async () => {
      const found = await left(world, namespace, await recordOf(world, work));
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
  it('leaves no object behind and makes none twice', async () => {
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
  }, 300_000);
});
