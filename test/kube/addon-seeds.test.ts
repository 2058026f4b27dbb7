import { managedClusterAddOns } from '@outrigger/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deploymentConfigsExample,
  ownKindsExample,
  prepareConfiguration,
  severalKindsExample,
} from '../integration/addon/seed-configuration.js';
import { declareDependencies, optionalDependency, requiredDependency } from '../integration/addon/seed-dependencies.js';
import { brokenTemplate, templateExample } from '../integration/addon/seed-template.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('the examples of the enhancement documents, on a real API server', () => {
  let world: KubeHub;
  beforeAll(async () => {
    world = await startKubeHub();
  }, 180_000);
  afterAll(() => world.stop());

  it('configuration: deployment configs, kinds of one’s own, several kinds', async () => {
    await prepareConfiguration(world);
    await deploymentConfigsExample(world);
    await ownKindsExample(world);
    await severalKindsExample(world);
  });

  it('dependencies: an optional one, a required one, and the test plan', async () => {
    await declareDependencies(world);
    await optionalDependency(world);
    await requiredDependency(world);
  });

  it('templates: installed, registered, edited, and broken', async () => {
    await templateExample(world);
    await brokenTemplate(world);
  });

  it('and then the manager writes nothing', async () => {
    await world.quiet();
    world.writes.length = 0;
    const { items } = await world.hub.list(managedClusterAddOns);
    expect(items.length).toBeGreaterThan(0);
    await world.runtime.timers.sleep(3000);
    expect(world.writes).toEqual([]);
  });
});
