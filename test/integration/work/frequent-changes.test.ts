import { appliedManifestWorks } from '@outrigger/api';
import type { ApiRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { CALM } from '@outrigger/kube/testing';
import { createSimulatedWorld } from './simulated-world.js';
import { applied, configMap, configMaps, createWork, deleteWork, gone, appliedWorkOf, treat, workOf } from './world.js';
import type { Interference } from '../../world/simulated.js';

const reports = treat(configMaps, { feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 'a', path: '.data.extra' }] }] });

describe('AT-45 one noisy work', () => {
  it('whose object changes a hundred times a second is reported at most twice a second, and others at once', async () => {
    const world = await createSimulatedWorld(1, false);
    const requests: ApiRequest[] = [];
    await world.run(async () => {
      const namespace = await world.newNamespace();
      world.startAgent((request) => {
        if (!request.watch) requests.push(request);
        return 'pass';
      });
      const noisy = await createWork(world, [configMap(namespace, 'noisy')], reports);
      const quiet = await createWork(world, [configMap(namespace, 'quiet')], reports);
      await applied(world, noisy);
      await applied(world, quiet);
      requests.length = 0;
      for (let i = 0; i < 1000; i++) {
        await world.cluster.patch(configMaps, { namespace, name: 'noisy' }, { type: 'merge', patch: { data: { extra: String(i) } } });
        await world.pause(8);
        if (i !== 500) continue;
        await world.cluster.patch(configMaps, { namespace, name: 'quiet' }, { type: 'merge', patch: { data: { extra: 'now' } } });
        const before = world.simulator.now;
        await world.eventually('the quiet one is reported', async () =>
          (await workOf(world, quiet)).status?.resourceStatus?.manifests?.[0]?.statusFeedback ? true : undefined,
        );
        expect(world.simulator.now - before).toBeLessThan(700);
      }
      // Within ten seconds, the agent may send twenty reads and twenty reports for the noisy work, and a few requests for the quiet one.
      expect(requests.length).toBeLessThan(60);
      world.crash();
    });
  });

  it('that competes with another for an object slows down instead of writing for ever', async () => {
    const world = await createSimulatedWorld(2, false);
    let writes = 0;
    await world.run(async () => {
      const namespace = await world.newNamespace();
      world.startAgent(({ method, path }) => {
        if (method === 'PUT' && path.endsWith('/configmaps/shared')) writes++;
        return 'pass';
      });
      await createWork(world, [configMap(namespace, 'shared', { a: 'one' })]);
      await createWork(world, [configMap(namespace, 'shared', { a: 'two' })]);
      await world.pause(3_600_000);
      expect(writes).toBeGreaterThan(5);
      expect(writes).toBeLessThan(80);
      world.crash();
    });
  });

  it('that two agents apply belongs to one of them at a time, and is deleted with its work', async () => {
    const world = await createSimulatedWorld(3, false);
    let claims = 0;
    const counting: Interference = ({ method, path }) => {
      if (method === 'PATCH' && path.includes('/appliedmanifestworks/')) claims++;
      return 'pass';
    };
    await world.run(async () => {
      const namespace = await world.newNamespace();
      for (const agentId of ['one', 'two']) world.startAgent(counting, CALM, { agentId });
      const work = await createWork(world, [configMap(namespace, 'settings')]);
      await world.pause(3_600_000);
      expect(claims).toBeLessThan(40);
      await deleteWork(world, work);
      await gone(world, configMaps, { namespace, name: 'settings' });
      world.crash();
    });
  });

  it('that another agent also writes is rewritten ever less often, also if only the list is rewritten', async () => {
    const world = await createSimulatedWorld(4, false);
    let writes = 0;
    const counting: Interference = ({ method, path }) => {
      if (method !== 'GET' && path.includes('/appliedmanifestworks')) writes++;
      return 'pass';
    };
    await world.run(async () => {
      const namespace = await world.newNamespace();
      world.startAgent(counting, CALM, { agentId: 'ours' });
      const work = await createWork(world, [configMap(namespace, 'settings'), configMap(namespace, 'more')]);
      await applied(world, work);
      for (const rewrites of ['the list', 'the list and the agent']) {
        writes = 0;
        // Another writer reverts every write of the agent within half a second, for ten minutes.
        for (let turn = 0; turn < 1_200; turn++) {
          const { metadata, spec, status } = await appliedWorkOf(world, work);
          const key = { name: metadata.name ?? '' };
          const resources = (status?.appliedResources ?? []).map(({ uid: _, ...resource }) => resource).reverse();
          await world.cluster.patch(
            appliedManifestWorks,
            key,
            { type: 'merge', patch: { status: { appliedResources: resources as never } } },
            { subresource: 'status' },
          );
          if (rewrites !== 'the list' && spec?.agentID !== 'theirs') {
            await world.cluster.patch(appliedManifestWorks, key, { type: 'merge', patch: { spec: { agentID: 'theirs' } } });
          }
          await world.pause(500);
        }
        expect(writes, rewrites).toBeLessThan(200);
      }
      world.crash();
    });
  });
});
