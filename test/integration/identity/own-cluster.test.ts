import { type ControlPlane, SYSTEM } from '@outrigger/control-plane';
import { createAdmission, createHub, hubAdmission } from '@outrigger/hub';
import type { Client, Manager } from '@outrigger/kube';
import { afterAll, beforeAll, describe } from 'vitest';
import { EmbeddedWorld } from '../../world/embedded.js';
import { definitionsOf } from '../../world/simulation.js';
import { type OwnClusterWorld, describeOwnCluster } from './own-cluster.js';
import { describeWriterRights } from './writer-rights.js';

describe('in process', () => {
  let embedded: EmbeddedWorld;
  let server: ControlPlane;
  let hub: Client;
  let manager: Manager;

  beforeAll(async () => {
    embedded = await EmbeddedWorld.create({ hasRealClock: true });
    const { runtime } = embedded;
    const admission = createAdmission({
      view: () => (manager?.hasReadAll ? manager.view : undefined),
      client: () => hub,
      clock: runtime.clock,
      settings: { managerNamespace: 'default', trustedUsers: [SYSTEM.user], checkMissingExecutor: false },
    });
    server = await embedded.startServer('hub', { crds: definitionsOf(), admission: [hubAdmission(admission)] });
    hub = embedded.client(server.transport());
    manager = createHub({ runtime, client: hub, namespace: 'default' });
    await manager.start();
    embedded.onStop(() => manager.stop());
  });
  afterAll(() => embedded.stop());

  const world = (): OwnClusterWorld => ({
    runtime: embedded.runtime,
    hub,
    as: (user, groups) => embedded.client(server.transport({ user, groups })),
    eventually: embedded.eventually,
  });
  describeOwnCluster('embedded server', world);
  describeWriterRights('embedded server', world);
});
