import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { runCommand } from '../cli/world.js';
import { type RealKube, startKube } from '../harness/index.js';
import { findsNoEscalation } from '../integration/install/least-privilege.js';
import { HUB_NAMESPACE } from '@outrigger/api';
import { createClient } from '@outrigger/kube';
import { createHttpTransport } from '@outrigger/kube/node';
import { clientOf } from './fleet-kube.js';

describe('the shipped rights on a real kube-apiserver', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let kube: RealKube;
  beforeAll(async () => {
    kube = await startKube({ controllerManager: true });
  });
  afterAll(async () => {
    await kube.stop();
    runtime.scope.close();
  });

  it('AT-56 lead to no right outside of the documented list', async () => {
    const admin = await clientOf(kube.kubeconfigPath, runtime);
    const account = `system:serviceaccount:${HUB_NAMESPACE}:outrigger-hub`;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${HUB_NAMESPACE}`, 'system:authenticated'];
    const connection = { server: kube.url, ca: { data: kube.caPem }, token: kube.token(account, groups) };
    const transport = createHttpTransport(connection, runtime, { protocol: 'http/1.1' });
    const manager = createClient({ transport, runtime });
    await findsNoEscalation({
      admin,
      manager,
      sleep: (ms) => runtime.timers.sleep(ms),
      outrigger: (...args) => runCommand(args, runtime, { KUBECONFIG: kube.kubeconfigPath }),
    });
    await transport.close();
  });
});
