import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, createControlPlane } from '@outrigger/control-plane';
import { createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { eventually } from '../world/eventually.js';
import { splitsTheAgent } from '../integration/install/agent-flags.js';
import { servesClusteradm } from '../integration/install/clusteradm-calls.js';
import {
  type FlagWorld,
  boundsBootstrapUsers,
  joinsAsUpstreamDoes,
  namesUnreadableKinds,
  takesOverRights,
} from '../integration/install/hub-flags.js';
import { commandsWith } from './world.js';

describe('flags that operators of upstream know', () => {
  let server: ControlPlane;
  let folder: string;
  let world: FlagWorld;
  let runtime: ReturnType<typeof createRealRuntime>;
  beforeEach(async () => {
    runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
    folder = await mkdtemp(join(tmpdir(), 'outrigger-flags-'));
    server = await createControlPlane({ runtime, storage: 'memory', webhookAddresses: ['127.0.0.0/8'] });
    await server.start();
    const kubeconfigPath = join(folder, 'kubeconfig');
    await writeFile(kubeconfigPath, (await server.serve()).adminKubeconfig);
    world = {
      kubeconfigPath,
      admin: createClient({ transport: server.transport(), runtime }),
      as: (user, groups) => createClient({ transport: server.transport({ user, groups }), runtime }),
      ...commandsWith(kubeconfigPath, runtime),
      eventually: (what, look) => eventually(runtime, what, look),
    };
  });
  afterEach(async () => {
    await server.stop();
    runtime.scope.close();
    await rm(folder, { recursive: true });
  });

  it('a cluster joins by the account of clusteradm, is accepted automatically, and its objects have the requested labels', () =>
    joinsAsUpstreamDoes(world));

  it('the calls of clusteradm: token, accept, cluster sets, works, replica sets and add-ons', () => servesClusteradm(world));

  it('a manager that cannot read a kind leads, and Lease, readiness and doctor name the kind', () => namesUnreadableKinds(world));

  it('an agent in two processes, with Secrets of other names, labels, annotations and another grace period', () => splitsTheAgent(world));

  it('--take-over copies only rights to bind and to sign, by name', () => takesOverRights(world));

  it('AT-17 a user named by --bootstrap-user chooses neither labels nor taints of the clusters that it announces', () =>
    boundsBootstrapUsers(world));
});
