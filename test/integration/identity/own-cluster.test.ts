import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { type ControlPlane, SYSTEM, createControlPlane } from '@outrigger/control-plane';
import { createAdmission, createHub, hubAdmission } from '@outrigger/hub';
import { type Client, type Manager, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe } from 'vitest';
import { eventually } from '../../world/eventually.js';
import { type OwnClusterWorld, describeOwnCluster } from './own-cluster.js';
import { describeWriterRights } from './writer-rights.js';

describe('in process', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let server: ControlPlane;
  let hub: Client;
  let manager: Manager;

  beforeAll(async () => {
    const door = createAdmission({
      view: () => (manager?.hasReadAll ? manager.view : undefined),
      client: () => hub,
      clock: runtime.clock,
      settings: { managerNamespace: 'default', trustedUsers: [SYSTEM.user], checkMissingExecutor: false },
    });
    const crds = KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition));
    server = await createControlPlane({ runtime, storage: 'memory', crds, admission: [hubAdmission(door)] });
    await server.start();
    hub = createClient({ transport: server.transport(), runtime });
    manager = createHub({ runtime, client: hub, namespace: 'default' });
    await manager.start();
  });
  afterAll(async () => {
    await manager.stop();
    await server.stop();
  });

  const world = (): OwnClusterWorld => ({
    runtime,
    hub,
    as: (user, groups) => createClient({ transport: server.transport({ user, groups }), runtime }),
    eventually: (what, condition) => eventually(runtime, what, condition),
  });
  describeOwnCluster('embedded server', world);
  describeWriterRights('embedded server', world);
});
