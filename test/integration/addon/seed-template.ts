import { type ManifestWork, addOnTemplates, clusterManagementAddOns, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { expect } from 'vitest';
import { addCluster, addOnOn, createYaml, eventuallyIs } from './objects.js';
import type { AddOnWorld } from './world.js';

/**
 * This scenario is the example in the document "Add-on Template" (docs/seeds.md): an add-on that consists of YAML only, with the
 * permissions and certificates that the document describes. The scenario then edits the add-on.
 */

const ADD_ON = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: hello-hub
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get]
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata:
  name: hello-template
spec:
  addonName: hello-template
  agentSpec:
    workload:
      manifests:
      - kind: Deployment
        apiVersion: apps/v1
        metadata:
          name: hello-template-agent
          namespace: open-cluster-management-agent-addon
          labels:
            app: hello-template-agent
        spec:
          replicas: 1
          selector:
            matchLabels:
              app: hello-template-agent
          template:
            metadata:
              labels:
                app: hello-template-agent
            spec:
              containers:
              - name: helloworld-agent
                image: quay.io/open-cluster-management/addon-examples:v1
                args:
                - "agent"
                - "--hub-kubeconfig={{HUB_KUBECONFIG}}"
                - "--cluster-name={{CLUSTER_NAME}}"
                - "--addon-namespace=open-cluster-management-agent-addon"
                - "--level={{LOG_LEVEL}}"
  registration:
  - type: KubeClient
    kubeClient:
      hubPermissions:
      - type: CurrentCluster
        roleRef:
          apiGroup: rbac.authorization.k8s.io
          kind: ClusterRole
          name: hello-hub
  - type: CustomSigner
    customSigner:
      signerName: example.com/signer-name
      signingCA:
        namespace: default
        name: ca-secret
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnDeploymentConfig
metadata:
  name: hello-config
  namespace: default
spec:
  agentInstallNamespace: ""
  customizedVariables:
  - name: LOG_LEVEL
    value: "4"
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: hello-template
spec:
  addOnMeta:
    displayName: hello-template
    description: hello-template is an addon built with addon template
  supportedConfigs:
  - group: addon.open-cluster-management.io
    resource: addontemplates
    defaultConfig:
      name: hello-template
  - group: addon.open-cluster-management.io
    resource: addondeploymentconfigs
    defaultConfig:
      namespace: default
      name: hello-config
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: hello-template
  namespace: cluster1
spec: {}
`;

interface PodSpec {
  readonly containers: readonly {
    readonly args: string[];
    readonly env: unknown[];
    readonly volumeMounts: unknown[];
    readonly image: string;
  }[];
  readonly volumes: unknown[];
}

function podSpecOf({ spec }: ManifestWork): PodSpec {
  const deployment = spec.workload?.manifests?.[0] as unknown as { spec: { template: { spec: PodSpec } } };
  return deployment.spec.template.spec;
}

export async function templateExample(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, 'cluster1');
  await createYaml(hub, ADD_ON);
  const clusterAddOn = await eventuallyIs(world, 'cluster1', 'hello-template', 'Available', 'True ProbeAvailable');
  await eventuallyIs(world, 'cluster1', 'hello-template', 'RegistrationApplied', 'True SetPermissionApplied');
  const subject = {
    user: 'system:open-cluster-management:cluster:cluster1:addon:hello-template:agent:hello-template-agent',
    groups: ['system:open-cluster-management:cluster:cluster1:addon:hello-template', 'system:open-cluster-management:addon:hello-template'],
  };
  expect(clusterAddOn.status).toMatchObject({
    namespace: 'open-cluster-management-agent-addon',
    healthCheck: { mode: 'Customized' },
    registrations: [
      { signerName: 'kubernetes.io/kube-apiserver-client', subject },
      { signerName: 'example.com/signer-name', subject },
    ],
  });

  const key = { namespace: 'cluster1', name: 'addon-hello-template-deploy-0' };
  const pods = podSpecOf(await hub.get(manifestWorks, key));
  expect(pods.containers[0]?.args).toEqual([
    'agent',
    '--hub-kubeconfig=/managed/hub-kubeconfig/kubeconfig',
    '--cluster-name=cluster1',
    '--addon-namespace=open-cluster-management-agent-addon',
    '--level=4',
  ]);
  expect(pods.containers[0]?.env).toEqual([
    { name: 'HUB_KUBECONFIG', value: '/managed/hub-kubeconfig/kubeconfig' },
    { name: 'CLUSTER_NAME', value: 'cluster1' },
  ]);
  expect(pods.containers[0]?.volumeMounts).toEqual([
    { name: 'hub-kubeconfig', mountPath: '/managed/hub-kubeconfig' },
    { name: 'cert-example-com-signer-name', mountPath: '/managed/example.com-signer-name' },
  ]);
  expect(pods.volumes).toEqual([
    { name: 'hub-kubeconfig', secret: { secretName: 'hello-template-hub-kubeconfig' } },
    {
      name: 'cert-example-com-signer-name',
      secret: { secretName: 'hello-template-example.com-signer-name-client-cert' },
    },
  ]);

  // An edit of the template reaches the cluster. No program needs to be rebuilt.
  const template = await hub.get(addOnTemplates, { name: 'hello-template' });
  const edited = JSON.parse(JSON.stringify(template.spec).replace('addon-examples:v1', 'addon-examples:v2')) as never;
  await hub.patch(addOnTemplates, { name: 'hello-template' }, { type: 'merge', patch: { spec: edited } });
  await world.eventually('the new image is in the work, and done', async () => {
    expect(podSpecOf(await hub.get(manifestWorks, key)).containers[0]?.image).toBe('quay.io/open-cluster-management/addon-examples:v2');
    const { status } = await hub.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello-template' });
    expect(status?.conditions?.find(({ type }) => type === 'Progressing')?.reason).toBe('Succeed');
    for (const { desiredConfig, lastAppliedConfig } of status?.configReferences ?? []) expect(lastAppliedConfig).toEqual(desiredConfig);
    return true;
  });
}

const UPGRADE = `
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata:
  name: global
  namespace: default
spec:
  clusterSet: global
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata:
  name: placement-upgrade
  namespace: default
spec:
  clusterSets: [global]
  # Nobody holds the lease of these clusters.
  tolerations:
  - key: cluster.open-cluster-management.io/unreachable
    operator: Exists
  predicates:
  - requiredClusterSelector:
      labelSelector:
        matchLabels:
          upgrade: "true"
`;

/**
 * The example "Upgrade an addon template": the clusters that a Placement selects get a second template, with one more label on the
 * Deployment and its pods. The other clusters keep the first template.
 */
export async function upgradeByPlacement(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, 'cluster4', { upgrade: 'true' });
  await hub.create(managedClusterAddOns, addOnOn('cluster4', 'hello-template'));
  const key = (cluster: string): { namespace: string; name: string } => ({ namespace: cluster, name: 'addon-hello-template-deploy-0' });
  await eventuallyIs(world, 'cluster4', 'hello-template', 'Progressing', 'False Succeed');
  const before = await hub.get(manifestWorks, key('cluster1'));

  const first = await hub.get(addOnTemplates, { name: 'hello-template' });
  const spec = JSON.parse(
    JSON.stringify(first.spec).replaceAll(
      '"labels":{"app":"hello-template-agent"',
      '"labels":{"app":"hello-template-agent","version":"v2"',
    ),
  ) as typeof first.spec;
  await hub.create(addOnTemplates, { ...first, metadata: { name: 'hello-template-v2' }, spec });
  await createYaml(hub, UPGRADE);
  const configs = [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: 'hello-template-v2' }];
  const installStrategy = { type: 'Placements', placements: [{ namespace: 'default', name: 'placement-upgrade', configs }] };
  await hub.patch(clusterManagementAddOns, { name: 'hello-template' }, { type: 'merge', patch: { spec: { installStrategy } } });
  await world.eventually('cluster4 has the second template', async () => {
    const { spec: work } = await hub.get(manifestWorks, key('cluster4'));
    const [deployment] = (work.workload?.manifests ?? []) as unknown as [KubeObject & { spec: { template: KubeObject } }];
    const labels = { app: 'hello-template-agent', version: 'v2' };
    expect([deployment.metadata.labels, deployment.spec.template.metadata.labels]).toEqual([labels, labels]);
    const { status } = await hub.get(managedClusterAddOns, { namespace: 'cluster4', name: 'hello-template' });
    const reference = status?.configReferences?.find(({ resource }) => resource === 'addontemplates');
    const pinned = { name: 'hello-template-v2', specHash: specHash(await hub.get(addOnTemplates, { name: 'hello-template-v2' })) };
    expect(reference).toEqual({
      group: 'addon.open-cluster-management.io',
      resource: 'addontemplates',
      name: 'hello-template-v2',
      lastObservedGeneration: 1,
      desiredConfig: pinned,
      lastAppliedConfig: pinned,
    });
    return true;
  });
  await world.quiet();
  const after = await hub.get(manifestWorks, key('cluster1'));
  expect([after.spec, after.metadata.generation]).toEqual([before.spec, before.metadata.generation]);
}

/** If a template is broken, the hub reports the error and leaves the works unchanged. */
export async function brokenTemplate(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const before = await hub.get(manifestWorks, { namespace: 'cluster1', name: 'addon-hello-template-deploy-0' });
  const broken = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'y' }, data: { a: '{{NOBODY}}' } }];
  await hub.patch(
    addOnTemplates,
    { name: 'hello-template' },
    { type: 'merge', patch: { spec: { agentSpec: { workload: { manifests: broken } } } } },
  );
  const clusterAddOn = await eventuallyIs(world, 'cluster1', 'hello-template', 'Progressing', 'False Failed');
  const told = clusterAddOn.status?.conditions?.find(({ type }) => type === 'ManifestApplied');
  expect(told).toMatchObject({ status: 'False', reason: 'ManifestWorkApplyFailed', message: expect.stringContaining('NOBODY') });
  const after = await hub.get(manifestWorks, { namespace: 'cluster1', name: 'addon-hello-template-deploy-0' });
  expect(after.spec).toEqual(before.spec);
}
