import { createAgent } from '@outrigger/agent';
import { describe, it } from 'vitest';
import { SimulatedWorld } from '../../world/simulated.js';
import { definitionsOf } from '../../world/simulation.js';
import {
  type AgentStartWorld,
  type Side,
  agentKinds,
  definedKindsOf,
  startsAgentWithoutDefinition,
  startsAgentWithoutRight,
} from './agent-kinds.js';

async function onVirtualServer(story: (world: AgentStartWorld) => Promise<void>): Promise<void> {
  const simulated = await SimulatedWorld.create();
  const server = await simulated.run(simulated.startServer('both', { crds: definitionsOf() }));
  let agents = 0;
  const world: AgentStartWorld = {
    admin: simulated.client(server.transport()),
    eventually: simulated.eventually(250),
    async agent(clusterName, side, user) {
      const runtime = simulated.process(`agent-${agents++}`);
      const identity = user === undefined ? undefined : { user, groups: ['system:authenticated'] };
      const clientOf = (of: Side) => simulated.client(server.transport(of === side ? identity : undefined), runtime);
      return createAgent({
        runtime,
        hub: clientOf('hub'),
        cluster: clientOf('cluster'),
        clusterName,
        hubServer: 'https://hub',
        agentId: clusterName,
      });
    },
  };
  await simulated.run(story(world));
}

describe('an agent that cannot read a kind, on the embedded server', () => {
  it.each<Side>(['hub', 'cluster'])('not served on the %s: runs the rest and names it: every defined kind', async (side) => {
    await onVirtualServer(async (world) => {
      const known = await agentKinds(world, side);
      for (const name of definedKindsOf(known)) await startsAgentWithoutDefinition(world, side, known, name);
    });
  });

  it.each<Side>(['hub', 'cluster'])(
    'forbidden on the %s: runs the rest, names the kind, and starts the others once it may: every kind',
    async (side) => {
      await onVirtualServer(async (world) => {
        const known = await agentKinds(world, side);
        await Promise.all(Array.from(known.kinds.keys(), (name) => startsAgentWithoutRight(world, side, known, name)));
      });
    },
  );
});
