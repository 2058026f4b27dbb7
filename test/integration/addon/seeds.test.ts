import { afterEach, describe, expect, it } from 'vitest';
import { deploymentConfigsExample, ownKindsExample, prepareConfiguration, severalKindsExample } from './seed-configuration.js';
import { declareDependencies, optionalDependency, requiredDependency } from './seed-dependencies.js';
import { brokenTemplate, templateExample, upgradeByPlacement } from './seed-template.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('the examples of the enhancement documents, on the embedded hub', () => {
  it('dependencies: an optional one, a required one, and the test plan', async () => {
    const world = await startWorld();
    await declareDependencies(world);
    await optionalDependency(world);
    await requiredDependency(world);
    await expectSilentRestart(world);
  });

  it('configuration: deployment configs, kinds of one’s own, several kinds', async () => {
    const world = await startWorld();
    await prepareConfiguration(world);
    await deploymentConfigsExample(world);
    await ownKindsExample(world);
    await severalKindsExample(world);
    await expectSilentRestart(world);
  });

  it('templates: installed, registered, edited, upgraded on the clusters of a Placement, and broken', async () => {
    const world = await startWorld({ hasClusters: true, hasPlacement: true });
    await templateExample(world);
    await upgradeByPlacement(world);
    await brokenTemplate(world);
  });
});

/** Expects that a manager that restarts on a settled hub writes nothing, even if it has to read configs of other kinds first. */
async function expectSilentRestart(world: AddOnWorld): Promise<void> {
  await world.idle();
  world.writes.length = 0;
  await world.restartManager();
  await world.idle();
  expect(world.writes).toEqual([]);
}
