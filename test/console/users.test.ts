import { readFile } from 'node:fs/promises';
import { installSamples } from '@outrigger/cli';
import { describe } from 'vitest';
import { startCliWorld } from '../cli/world.js';
import { describeConsoleUsers } from './users-story.js';

describe('users of a hub on the embedded server', () =>
  describeConsoleUsers(async () => {
    const world = await startCliWorld(1);
    const { runtime, fleet, eventually, kubeconfig, stop } = world;
    await installSamples(fleet.hub);
    await world.outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '60');
    return { runtime, hub: fleet.hub, adminKubeconfig: await readFile(kubeconfig, 'utf8'), eventually, stop };
  }));
