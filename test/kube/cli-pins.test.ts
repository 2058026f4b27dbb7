import { afterAll, beforeAll, describe, it } from 'vitest';
import { ADDON_NAME_LABEL, ADDON_VERSION_LABEL } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import { FRAGILE_ADD_ON, awayIsNoSuccess, haltedIsNoSuccess, unknownIsNoSuccess, waitingRemovalShows } from '../cli/honest-stories.js';
import type { WhyWorld } from '../cli/why-stories.js';
import { runCommand } from '../cli/world.js';
import { addCluster } from '../integration/addon/objects.js';
import { pinsHold } from '../integration/install/pins.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('the commands on a real hub with three clusters', () => {
  let world: KubeHub;
  const clusters = ['pin1', 'pin2', 'pin3'] as const;
  beforeAll(async () => {
    const isBroken = (labels: Readonly<Record<string, string>> = {}): boolean =>
      labels[ADDON_NAME_LABEL] === FRAGILE_ADD_ON && labels[ADDON_VERSION_LABEL] === 'v2';
    world = await startKubeHub({ agent: { isUp: ({ metadata }) => !isBroken(metadata.labels) } });
    for (const cluster of clusters) await addCluster(world, cluster);
  });
  afterAll(() => world.stop());

  it('hold when the fleet moves, until they are cleared', () =>
    pinsHold({
      hub: world.hub,
      eventually: (what, look) => world.eventually(what, look),
      outrigger: (...args) => runCommand(args, world.runtime, { KUBECONFIG: world.kube.kubeconfigPath }),
      clusters,
    }));

  describe('no state looks like success that is not', () => {
    const asked = (): WhyWorld => ({
      hub: world.hub,
      eventually: (what, look) => world.eventually(what, look),
      outrigger: (...args) => runCommand(args, world.runtime, { KUBECONFIG: world.kube.kubeconfigPath }),
    });
    beforeAll(async () => {
      await installSamples(world.hub);
      await asked().eventually('hello is there', async () =>
        (await asked().outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '30')).code === 0 ? true : undefined,
      );
    });
    it('unreachable clusters are named, and fail a strict watch', () => awayIsNoSuccess(asked()));
    it('a halted rollout exits with 5, also without --watch', () => haltedIsNoSuccess(asked()));
    it('an add-on whose Placements do not exist is not completed', () => unknownIsNoSuccess(asked()));
    it('a removal that waits shows everywhere with its command, and confirm lists the clusters', () =>
      waitingRemovalShows(asked(), clusters));
  });
});
