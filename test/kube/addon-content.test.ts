import { afterAll, beforeAll, describe, it } from 'vitest';
import { rendersGoldenFiles } from '../integration/addon/golden-scenario.js';
import { normalisedManifestsSettle } from '../integration/addon/normalised-scenario.js';
import { REMOVALS, hooksOutliveTheirTemplate } from '../integration/addon/removal-scenario.js';
import { newerRendererMovesNoCluster, takenOverWorksKeepTheirSpec } from '../integration/addon/renderer-scenario.js';
import { SHRINKING_CLUSTER, droppedObjectsGoLast } from '../integration/addon/shrinking-scenario.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('rendered content on a real API server', () => {
  let world: KubeHub;
  let isReporting = true;
  beforeAll(async () => {
    world = await startKubeHub({ agent: { isUp: ({ metadata }) => metadata.namespace !== SHRINKING_CLUSTER || isReporting } });
  });
  afterAll(() => world.stop());

  it('manifests that the server stores in another form settle, and nothing is written after that', () =>
    normalisedManifestsSettle(world, { count: 60, seed: 20_261_116 }));

  it.each(REMOVALS)('files deleted together ($order, $propagation, manager down: $isManagerDown): hooks run, nothing is left', (removal) =>
    hooksOutliveTheirTemplate(world, removal),
  );

  it('an add-on of several works loses what its new version drops after all works of that version are applied', () =>
    droppedObjectsGoLast(world, (now) => {
      isReporting = now;
    }));

  it('a newer renderer moves no cluster, comes with other content and goes back with it; nor does a takeover', async () => {
    await newerRendererMovesNoCluster(world);
    await takenOverWorksKeepTheirSpec(world);
  });

  it('a work holds the expected manifests of every golden file, or the add-on reports the expected problems', () =>
    rendersGoldenFiles(world));
});
