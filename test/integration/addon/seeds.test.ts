import { afterEach, describe, it } from 'vitest';
import { deploymentConfigsExample, ownKindsExample, prepareConfiguration, severalKindsExample } from './seed-configuration.js';
import { declareDependencies, optionalDependency, requiredDependency } from './seed-dependencies.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('the examples of the enhancement documents, on the embedded hub', () => {
  it('dependencies: an optional one, a required one, and the test plan', async () => {
    const world = await startWorld();
    await declareDependencies(world);
    await optionalDependency(world);
    await requiredDependency(world);
  });

  it('configuration: deployment configs, kinds of one’s own, several kinds', async () => {
    const world = await startWorld();
    await prepareConfiguration(world);
    await deploymentConfigsExample(world);
    await ownKindsExample(world);
    await severalKindsExample(world);
  });
});
