import { managedClusterAddOns } from '@outrigger/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deploymentConfigsExample,
  ownKindsExample,
  prepareConfiguration,
  severalKindsExample,
} from '../integration/addon/seed-configuration.js';
import { installAndEdit, installByStrategy, settledFleet } from '../integration/addon/budget-scenario.js';
import { handEditsAreRepaired, strangerInTheWay } from '../integration/addon/drift-scenario.js';
import { declareDependencies, optionalDependency, requiredDependency } from '../integration/addon/seed-dependencies.js';
import { brokenTemplate, templateExample, upgradeByPlacement } from '../integration/addon/seed-template.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('the examples of the enhancement documents, on a real API server', () => {
  let world: KubeHub;
  beforeAll(async () => {
    world = await startKubeHub();
  });
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

  it('templates: installed, registered, edited, upgraded on the clusters of a Placement, and broken', async () => {
    await templateExample(world);
    await upgradeByPlacement(world);
    await brokenTemplate(world);
  });

  it('manual changes are noticed and repaired; an object of another owner is named', async () => {
    await handEditsAreRepaired(world);
    await strangerInTheWay(world);
  });

  it('the write budget of an installation and of edits', () => installAndEdit(world));

  it('the write budget of an installation under every rollout strategy', () => installByStrategy(world));

  // The same scenario runs with 1,000 add-ons on the embedded server. Here it runs with 200, because more would take longer than the rest
  // of the file.
  it('the write budget of a settled fleet of 200 add-ons, and of a restart over it', () =>
    settledFleet(world, { clusters: 20, addOns: 10 }));

  it('the manager then writes nothing', async () => {
    await world.quiet();
    world.writes.length = 0;
    const { items } = await world.hub.list(managedClusterAddOns);
    expect(items.length).toBeGreaterThan(0);
    await world.idle();
    expect(world.writes).toEqual([]);
  });
});
