import { createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { runCommand, startCommand } from '../cli/world.js';
import { type RealKube, startKube } from '../harness/index.js';
import { poll } from '../integration/addon/world.js';
import { type FlagWorld, joinsAsUpstreamDoes, takesOverRights } from '../integration/install/hub-flags.js';
import { clientOf } from './fleet-kube.js';

describe('flags that operators of upstream know, on a real hub', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let kube: RealKube;
  let world: FlagWorld;
  beforeAll(async () => {
    kube = await startKube({ controllerManager: true });
    const env = { KUBECONFIG: kube.kubeconfigPath };
    world = {
      admin: await clientOf(kube.kubeconfigPath, runtime),
      as: (user, groups) => {
        const connection = { server: kube.url, ca: { data: kube.caPem }, token: kube.token(user, groups) };
        return createClient({ transport: createHttpTransport(connection, runtime, { protocol: 'http/1.1' }), runtime });
      },
      outrigger: (...args) => runCommand(args, runtime, env),
      start: (...args) => {
        const controller = new AbortController();
        const { ended } = startCommand(args, runtime, env, controller.signal);
        return () => {
          controller.abort();
          return ended;
        };
      },
      eventually: (what, look) => poll(runtime, what, look),
    };
  }, 180_000);
  afterAll(async () => {
    await kube.stop();
    runtime.scope.close();
  });

  it('a cluster joins by the account of clusteradm, is accepted by itself, and its objects carry the labels asked for', () =>
    joinsAsUpstreamDoes(world));

  it('--take-over copies rights to bind and to sign, by name, and nothing else', () => takesOverRights(world));
});
