import { HUB_NAMESPACE } from '@outrigger/api';
import { createControlPlane, serviceAccountIdentity } from '@outrigger/control-plane';
import { createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { findsNoEscalation } from '../integration/install/least-privilege.js';
import { runCommand } from './world.js';

it('AT-56 the shipped rights lead to no right outside of the documented list', async () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-rights-'));
  const server = await createControlPlane({ runtime, storage: 'memory' });
  try {
    await server.start();
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, (await server.serve()).adminKubeconfig);
    const identity = serviceAccountIdentity({ namespace: HUB_NAMESPACE, name: 'outrigger-hub', uid: 'u' });
    await findsNoEscalation({
      admin: createClient({ transport: server.transport(), runtime }),
      manager: createClient({ transport: server.transport(identity), runtime }),
      sleep: (ms) => runtime.timers.sleep(ms),
      outrigger: (...args) => runCommand(args, runtime, { KUBECONFIG: kubeconfig }),
    });
  } finally {
    await server.stop();
    runtime.scope.close();
    await rm(folder, { recursive: true });
  }
});
