import type { ApiRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { createSimulatedWorld } from './simulated-world.js';
import { type Manifest, applied, configMap, createWork, deployment } from './world.js';

const WORKS = 50;
const MANIFESTS = 10;

describe('an agent with 50 works of 10 manifests', () => {
  it('is silent once they are settled: nothing goes to either server but watches', async () => {
    const world = await createSimulatedWorld(7);
    let requests: ApiRequest[] = [];
    let watches = 0;
    await world.run(async () => {
      const spaces = [await world.newNamespace(), await world.newNamespace(), await world.newNamespace()];
      world.startAgent((request) => {
        if (request.watch) watches++;
        else requests.push(request);
        return 'pass';
      });
      const manifests = (work: number): Manifest[] =>
        Array.from({ length: MANIFESTS }, (_, index) => {
          const namespace = spaces[index % spaces.length] ?? '';
          return index === 0 ? deployment(namespace, `app-${work}`) : configMap(namespace, `settings-${work}-${index}`);
        });
      const works = await Promise.all(Array.from({ length: WORKS }, (_, work) => createWork(world, manifests(work))));
      for (const work of works) await applied(world, work);
      await world.pause(60_000);
      requests = [];
      const watchesBefore = watches;
      await world.pause(2 * 3_600_000);
      expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      // Servers end watches after five to ten minutes. The agent has two watches for caches and one per kind and namespace.
      expect(watches - watchesBefore).toBeLessThan((2 + 2 * spaces.length) * 25);
      world.crash();
    });
  });

  it('reads each object once and writes nothing when it is started again', async () => {
    const world = await createSimulatedWorld(8);
    const requests: ApiRequest[] = [];
    await world.run(async () => {
      const namespace = await world.newNamespace();
      world.startAgent();
      const manifests = Array.from({ length: MANIFESTS }, (_, index) => configMap(namespace, `settings-${index}`));
      const work = await createWork(world, [...manifests, deployment(namespace, 'app')]);
      await applied(world, work);
      await world.pause(10_000);
      world.crash();
      world.startAgent((request) => {
        if (!request.watch) requests.push(request);
        return 'pass';
      });
      await world.pause(600_000);
      expect(requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      const reads = requests.filter(({ path }) => path.startsWith(`/api/v1/namespaces/${namespace}/configmaps/`));
      expect(reads).toHaveLength(MANIFESTS);
      world.crash();
    });
  });
});
