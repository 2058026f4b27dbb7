import { afterAll, beforeAll, describe, it } from 'vitest';
import { runCommand } from '../cli/world.js';
import { addCluster } from '../integration/addon/objects.js';
import { pinsHold } from '../integration/install/pins.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('pins on a real hub', () => {
  let world: KubeHub;
  const clusters = ['pin1', 'pin2', 'pin3'] as const;
  beforeAll(async () => {
    world = await startKubeHub();
    for (const cluster of clusters) await addCluster(world, cluster);
  }, 180_000);
  afterAll(() => world.stop());

  it('hold when the fleet moves, until they are cleared', () =>
    pinsHold({
      hub: world.hub,
      eventually: (what, look) => world.eventually(what, look),
      outrigger: (...args) => runCommand(args, world.runtime, { KUBECONFIG: world.kube.kubeconfigPath }),
      clusters,
    }));
});
