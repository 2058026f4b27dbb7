import { createHub } from '@outrigger/hub';
import { describe, it } from 'vitest';
import { SimulatedWorld } from '../../world/simulated.js';
import { definitionsOf } from '../../world/simulation.js';
import {
  type NeededKinds,
  type StartUpWorld,
  acceptsClustersWithoutTemplates,
  definedKinds,
  neededKinds,
  startsWithoutDefinition,
  startsWithoutRight,
} from './unreadable-kinds.js';

/** Runs a scenario on the embedded server under a virtual clock, with the kinds that the hub's controllers need. */
async function onVirtualHub(story: (world: StartUpWorld, needed: NeededKinds) => Promise<void>): Promise<void> {
  const simulated = await SimulatedWorld.create();
  const server = await simulated.run(simulated.startServer('hub', { crds: definitionsOf() }));
  let managers = 0;
  const world: StartUpWorld = {
    admin: simulated.client(server.transport()),
    eventually: simulated.eventually(250),
    async manager(user) {
      const runtime = simulated.process(`manager-${managers++}`);
      const identity = user === undefined ? undefined : { user, groups: ['system:authenticated'] };
      const client = simulated.client(server.transport(identity), runtime);
      return createHub({ runtime, client, namespace: 'default', bootstrap: { users: ['joiner'], groups: [] } });
    },
  };
  await simulated.run(neededKinds(world).then((needed) => story(world, needed)));
}

describe('a manager that cannot read a kind, on the embedded server', () => {
  it('runs the controllers that do not need the kind, and the others once the right is granted: every kind', async () => {
    await onVirtualHub(async (world, needed) => {
      await Promise.all(Array.from(needed.keys(), (name) => startsWithoutRight(world, needed, name)));
    });
  });

  it('runs the controllers that do not need the kind, and the others once it is served: every defined kind', async () => {
    await onVirtualHub(async (world, needed) => {
      for (const name of definedKinds(needed)) await startsWithoutDefinition(world, needed, name);
    });
  });

  it('accepts clusters on a hub without AddOnTemplates', async () => {
    await onVirtualHub((world) => acceptsClustersWithoutTemplates(world));
  });
});
