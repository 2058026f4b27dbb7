import { managedClusters } from '@outrigger/api';
import { validatingWebhookConfigurations } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, runCommand } from '../cli/world.js';
import { type RealKube, startKube } from '../harness/index.js';
import { clientOf } from './fleet-kube.js';

describe('doctor on a real hub whose manager does not run', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let kube: RealKube;
  let hub: Client;
  const outrigger = (...args: readonly string[]): Promise<Ran> => runCommand(args, runtime, { KUBECONFIG: kube.kubeconfigPath });
  beforeAll(async () => {
    kube = await startKube({ controllerManager: true });
    hub = await clientOf(kube.kubeconfigPath, runtime);
    expect(await outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--apply')).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await kube.stop();
    runtime.scope.close();
  });

  it('finds that no manager leads and that v1beta1 is not served, each with a command', async () => {
    const { code, out } = await outrigger('doctor');
    expect(code).toBe(5);
    expect(out).toMatch(/^manager +problem +no manager leads.*\n {2}kubectl get pods -n open-cluster-management-hub/m);
    expect(out).toMatch(/^kinds +problem .*ClusterManagementAddOn v1beta1.*\n {2}outrigger hub --webhook-port/m);
  });

  it('finds a webhook that does not answer', async () => {
    const webhooks = [
      {
        name: 'templates.outrigger.dev',
        clientConfig: { url: 'https://127.0.0.1:1/validate' },
        rules: [
          { apiGroups: ['addon.open-cluster-management.io'], apiVersions: ['*'], resources: ['addontemplates'], operations: ['CREATE'] },
        ],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 2,
      },
    ];
    await hub.patch(validatingWebhookConfigurations, { name: 'outrigger' }, { type: 'merge', patch: { webhooks } });
    await expect
      .poll(async () => (await outrigger('doctor')).out, { timeout: 30_000, interval: 500 })
      .toMatch(/^admission +problem .*failed calling webhook/m);
  });

  it('finds a cluster that waits to be accepted', async () => {
    await hub.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: 'edge1' },
      spec: { hubAcceptsClient: false },
    });
    expect(await outrigger('doctor')).toMatchObject({ code: 5, out: expect.stringMatching(/edge1\n {2}outrigger accept edge1/) as string });
  });
});
