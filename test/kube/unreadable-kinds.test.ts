import { createAgent } from '@outrigger/agent';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { installKinds, recordedLogger, startKube } from '../harness/index.js';
import {
  type NeededKinds,
  type StartUpWorld,
  acceptsClustersWithoutTemplates,
  neededKinds,
  startsWithoutDefinition,
  startsWithoutRight,
} from '../integration/start-up/unreadable-kinds.js';
import {
  type AgentStartWorld,
  type Side,
  agentKinds,
  definedKindsOf,
  startsAgentWithoutDefinition,
  startsAgentWithoutRight,
} from '../integration/start-up/agent-kinds.js';
import { OVER_SOCKETS, eventually } from '../world/eventually.js';

describe('a manager or agent that cannot read a kind, on a real API server', () => {
  let world: StartUpWorld;
  let needed: NeededKinds;
  let agents: AgentStartWorld;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const server = await startKube({ controllerManager: 'after kinds' });
    stops.push(() => server.stop());
    const runtime = createRealRuntime({ log: recordedLogger('fatal') });
    const { connection } = await loadConnection({ kubeconfig: server.kubeconfigPath });
    const clientOf = (user?: string) => {
      const as = user === undefined ? connection : { ...connection, impersonate: { user, groups: [], extra: {} } };
      const transport = createHttpTransport(as, runtime, { protocol: 'h2' });
      stops.push(() => transport.close());
      return createClient({ transport, runtime });
    };
    const admin = clientOf();
    world = {
      admin,
      eventually: (what, condition) => eventually({ ...runtime, patience: OVER_SOCKETS }, what, condition),
      async manager(user) {
        const manager = createHub({ runtime, client: clientOf(user), namespace: 'default', bootstrap: { users: ['joiner'], groups: [] } });
        stops.push(() => manager.stop());
        return manager;
      },
    };
    agents = {
      ...world,
      async agent(clusterName, side, user) {
        const [hub, cluster] = (['hub', 'cluster'] as const).map((of) => clientOf(of === side ? user : undefined)) as [Client, Client];
        const agent = createAgent({ runtime, hub, cluster, clusterName, hubServer: 'https://hub', agentId: clusterName });
        stops.push(() => agent.stop());
        return agent;
      },
    };
    await installKinds(server, admin, world.eventually);
    needed = await neededKinds(world);
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('runs the controllers that do not need the kind, and the others once the right is granted: every kind', async () => {
    await Promise.all(Array.from(needed.keys(), (name) => startsWithoutRight(world, needed, name)));
  });

  it.each(['placementdecisions.cluster.open-cluster-management.io', 'addonrollouts.outrigger.dev', 'rolloutpolicies.outrigger.dev'])(
    'runs the controllers that do not need %s, and the others once it is served',
    (name) => startsWithoutDefinition(world, needed, name),
  );

  it('accepts clusters on a hub without AddOnTemplates', () => acceptsClustersWithoutTemplates(world));

  it.each<Side>(['hub', 'cluster'])(
    'an agent that may not read a kind on the %s, or finds it not served, runs the rest and names it: every kind',
    async (side) => {
      const known = await agentKinds(agents, side);
      await Promise.all(Array.from(known.kinds.keys(), (name) => startsAgentWithoutRight(agents, side, known, name)));
      for (const name of definedKindsOf(known)) await startsAgentWithoutDefinition(agents, side, known, name);
    },
  );
});
