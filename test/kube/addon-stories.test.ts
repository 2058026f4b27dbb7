import { afterAll, beforeAll, describe, it } from 'vitest';
import { orphanedAndAdopted } from '../integration/addon/orphan-scenario.js';
import { failureOfEarlierVersion } from '../integration/addon/stale-report-scenario.js';
import { type KubeHub, startKubeHub } from './hub.js';

/** Clusters whose agents a story stands in for. */
const SILENT: ReadonlySet<string> = new Set(['silent1']);

describe('add-ons, on a real API server', () => {
  let world: KubeHub;
  beforeAll(async () => {
    world = await startKubeHub({ agent: { isUp: ({ metadata }) => !SILENT.has(metadata.namespace ?? '') } });
  }, 180_000);
  afterAll(() => world.stop());

  it('a deletion that orphans keeps the add-ons; a new declaration adopts them and rewrites no work', () => orphanedAndAdopted(world));

  it('a failure of an earlier version does not count against the next one', () => failureOfEarlierVersion(world));
});
