import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HUB_NAMESPACE, subjectAccessReviews } from '@outrigger/api';
import { createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantHint } from '../../packages/hub/src/controllers/registration/grant-hint.js';
import { grantCommand } from '../../packages/hub/src/registration/permissions.js';
import { commandsWith } from '../cli/world.js';
import { type RealKube, findKubectl, startKube } from '../harness/index.js';
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
import { clientOf } from './fleet-kube.js';

const run = promisify(execFile);

describe('flags that operators of upstream know, on a real hub', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let kube: RealKube;
  let world: FlagWorld;
  beforeAll(async () => {
    kube = await startKube({ controllerManager: true });
    world = {
      kubeconfigPath: kube.kubeconfigPath,
      admin: await clientOf(kube.kubeconfigPath, runtime),
      as: (user, groups) => {
        const connection = { server: kube.url, ca: { data: kube.caPem }, token: kube.token(user, groups) };
        return createClient({ transport: createHttpTransport(connection, runtime, { protocol: 'http/1.1' }), runtime });
      },
      ...commandsWith(kube.kubeconfigPath, runtime),
      eventually: (what, look) => eventually(runtime, what, look),
    };
  });
  afterAll(async () => {
    await kube.stop();
    runtime.scope.close();
  });

  it('a cluster joins by the account of clusteradm, is accepted automatically, and its objects have the requested labels', () =>
    joinsAsUpstreamDoes(world));

  it('the commands that a missing right is answered with grant it', async () => {
    expect(await world.outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--apply')).toMatchObject({ code: 0 });
    const signer = { request: { signerName: 'example.com/remedy' }, asker: { type: 'cluster' }, managerNamespace: HUB_NAMESPACE };
    const commands = [
      grantHint(signer as never, { reason: 'Forbidden', message: 'user not permitted to sign' } as never) ?? '',
      grantCommand({ kind: 'ClusterRole', name: "it's; $(true)" }),
    ];
    const kubectl = await findKubectl();
    for (const command of commands)
      await run('sh', ['-c', `kubectl() { command '${kubectl}' "$@"; }; ${command}`], {
        env: { ...process.env, KUBECONFIG: kube.kubeconfigPath },
      });
    const user = `system:serviceaccount:${HUB_NAMESPACE}:outrigger-hub`;
    for (const resourceAttributes of [
      { group: 'certificates.k8s.io', resource: 'signers', name: 'example.com/remedy', verb: 'sign' },
      { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: "it's; $(true)", verb: 'bind' },
    ])
      await world.eventually(`the manager may ${resourceAttributes.verb}`, async () => {
        const review = {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          metadata: {},
          spec: { user, resourceAttributes },
        };
        return (await world.admin.create(subjectAccessReviews, review)).status?.allowed ? true : undefined;
      });
  });

  it('the calls of clusteradm: token, accept, cluster sets, works, replica sets and add-ons', () => servesClusteradm(world));

  it('a manager that cannot read a kind leads, and Lease, readiness and doctor name the kind', () => namesUnreadableKinds(world));

  it('an agent in two processes, with Secrets of other names, labels, annotations and another grace period', () => splitsTheAgent(world));

  it('--take-over copies only rights to bind and to sign, by name', () => takesOverRights(world));

  // This test runs last, because the webhooks that it publishes do not answer afterwards.
  it('AT-17 a user named by --bootstrap-user chooses neither labels nor taints of the clusters that it announces', () =>
    boundsBootstrapUsers(world));
});
