import { addOnDeploymentConfigs, clusterManagementAddOns, managedClusterAddOns } from '@outrigger/api';
import type { ConfigReference } from '@outrigger/api';
import type { Kind } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { expect } from 'vitest';
import { addCluster, createYaml } from './objects.js';
import type { AddOnWorld } from './world.js';

/** These scenarios are the examples in the document "Add-on Configuration" (docs/seeds.md). */

const crd = (group: string, kind: string, plural: string, scope: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.${group}
spec:
  group: ${group}
  scope: ${scope}
  names: { kind: ${kind}, plural: ${plural}, singular: ${kind.toLowerCase()}, listKind: ${kind}List }
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

const proxyConfigurations: Kind = {
  group: 'proxy.open-cluster-management.io',
  version: 'v1alpha1',
  kind: 'ManagedProxyConfiguration',
  plural: 'managedproxyconfigurations',
  namespaced: false,
};
const submarinerConfigs: Kind = {
  group: 'submarineraddon.open-cluster-management.io',
  version: 'v1alpha1',
  kind: 'SubmarinerConfig',
  plural: 'submarinerconfigs',
  namespaced: true,
};

const DEPLOYMENT_CONFIGS = `
apiVersion: v1
kind: Namespace
metadata:
  name: open-cluster-management
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnDeploymentConfig
metadata:
  name: addon-default-placement
  namespace: open-cluster-management
spec:
  nodePlacement:
    nodeSelector:
      "kubernetes.io/arch": "amd64"
    tolerations:
    - key: "node.kubernetes.io/unreachable"
      operator: "Exists"
      effect: "NoSchedule"
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: myaddon
spec:
  supportedConfigs:
  - group: addon.open-cluster-management.io
    resource: addondeploymentconfigs
    defaultConfig:
      name: addon-default-placement
      namespace: open-cluster-management
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: myaddon
  namespace: cluster1
spec:
  installNamespace: open-cluster-management-agent-addon
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: myaddon
  namespace: cluster2
spec:
  installNamespace: open-cluster-management-agent-addon
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnDeploymentConfig
metadata:
  name: addon-arm-placement
  namespace: cluster3
spec:
  nodePlacement:
    nodeSelector:
      "kubernetes.io/arch": "arm64"
    tolerations:
    - key: "node.kubernetes.io/unreachable"
      operator: "Exists"
      effect: "NoSchedule"
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: myaddon
  namespace: cluster3
spec:
  installNamespace: open-cluster-management-agent-addon
  configs:
  - group: addon.open-cluster-management.io
    resource: addondeploymentconfigs
    name: addon-arm-placement
    namespace: cluster3
`;

const PROXY = `
apiVersion: proxy.open-cluster-management.io/v1alpha1
kind: ManagedProxyConfiguration
metadata:
  name: cluster-proxy
spec:
  authentication:
    signer:
      type: SelfSigned
  proxyServer:
    image: proxy-server-image
  proxyAgent:
    image: proxy-agent-image
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: cluster-proxy
spec:
  supportedConfigs:
  - group: proxy.open-cluster-management.io
    resource: managedproxyconfigurations
    defaultConfig:
      name: cluster-proxy
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: cluster-proxy
  namespace: cluster1
spec:
  installNamespace: open-cluster-management-agent-addon
`;

const SUBMARINER = `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: submariner
spec:
  supportedConfigs:
  - group: submarineraddon.open-cluster-management.io
    resource: submarinerconfigs
---
apiVersion: submarineraddon.open-cluster-management.io/v1alpha1
kind: SubmarinerConfig
metadata:
  name: submariner
  namespace: cluster1
spec:
  IPSecIKEPort: 500
  IPSecNATTPort: 4500
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: submariner
  namespace: cluster1
spec:
  configs:
  - group: submarineraddon.open-cluster-management.io
    resource: submarinerconfigs
    name: submariner
    namespace: cluster1
---
apiVersion: submarineraddon.open-cluster-management.io/v1alpha1
kind: SubmarinerConfig
metadata:
  name: submariner
  namespace: cluster2
spec:
  IPSecIKEPort: 501
  IPSecNATTPort: 4501
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: submariner
  namespace: cluster2
spec:
  configs:
  - group: submarineraddon.open-cluster-management.io
    resource: submarinerconfigs
    name: submariner
    namespace: cluster2
`;

const DEPLOY_CONFIG = `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnDeploymentConfig
metadata:
  name: deploy-config
  namespace: cluster1
spec: {}
`;

export async function prepareConfiguration(world: AddOnWorld): Promise<void> {
  for (const name of ['cluster1', 'cluster2', 'cluster3']) await addCluster(world, name);
  await createYaml(world.hub, crd(proxyConfigurations.group, 'ManagedProxyConfiguration', proxyConfigurations.plural, 'Cluster'));
  await createYaml(world.hub, crd(submarinerConfigs.group, 'SubmarinerConfig', submarinerConfigs.plural, 'Namespaced'));
  await world.eventually('the kinds are served', async () => {
    world.hub.discovery.invalidate();
    const served = await Promise.all([proxyConfigurations, submarinerConfigs].map((kind) => world.hub.discovery.serves(kind)));
    return served.every(Boolean) ? true : undefined;
  });
}

/** Checks all config references, field by field. Each digest must be that of the current object. */
async function expectReferences(world: AddOnWorld, cluster: string, addOn: string, kinds: readonly Expected[]): Promise<void> {
  const wanted: ConfigReference[] = [];
  for (const { kind, name, namespace, generation = 1 } of kinds) {
    const place = namespace === undefined ? {} : { namespace };
    const object = await world.hub.get(kind, { name, ...place });
    wanted.push({
      group: kind.group,
      resource: kind.plural,
      ...place,
      name,
      lastObservedGeneration: generation,
      desiredConfig: { ...place, name, specHash: specHash(object) },
    });
  }
  await world.eventually(`configReferences of ${cluster}/${addOn}`, async () => {
    const { status } = await world.hub.get(managedClusterAddOns, { namespace: cluster, name: addOn });
    expect(status?.configReferences).toEqual(wanted);
    expect(status?.conditions?.find(({ type }) => type === 'Configured')).toMatchObject({
      status: 'True',
      reason: 'ConfigurationsConfigured',
    });
    return true;
  });
}

interface Expected {
  readonly kind: Kind;
  readonly name: string;
  readonly namespace?: string;
  readonly generation?: number;
}

/** Example 1 of the document: one deployment config for all clusters, and another one for a single cluster. */
export async function deploymentConfigsExample(world: AddOnWorld): Promise<void> {
  await createYaml(world.hub, DEPLOYMENT_CONFIGS);
  const shared = { kind: addOnDeploymentConfigs as Kind, name: 'addon-default-placement', namespace: 'open-cluster-management' };
  await expectReferences(world, 'cluster1', 'myaddon', [shared]);
  await expectReferences(world, 'cluster2', 'myaddon', [shared]);
  const own = { kind: addOnDeploymentConfigs as Kind, name: 'addon-arm-placement', namespace: 'cluster3' };
  await expectReferences(world, 'cluster3', 'myaddon', [own]);

  await world.hub.patch(
    own.kind,
    { name: own.name, namespace: own.namespace },
    { type: 'merge', patch: { spec: { nodePlacement: { tolerations: [] } } } },
  );
  await expectReferences(world, 'cluster3', 'myaddon', [{ ...own, generation: 2 }]);
}

/**
 * Example 2 of the document: config kinds that the add-ons themselves define. One add-on has one config for all clusters, the other has one
 * per cluster.
 */
export async function ownKindsExample(world: AddOnWorld): Promise<void> {
  await createYaml(world.hub, PROXY);
  await createYaml(world.hub, SUBMARINER);
  await expectReferences(world, 'cluster1', 'cluster-proxy', [{ kind: proxyConfigurations, name: 'cluster-proxy' }]);
  for (const cluster of ['cluster1', 'cluster2']) {
    await expectReferences(world, cluster, 'submariner', [{ kind: submarinerConfigs, name: 'submariner', namespace: cluster }]);
  }
  const patch = { spec: { IPSecIKEPort: 502 } };
  await world.hub.patch(submarinerConfigs, { name: 'submariner', namespace: 'cluster2' }, { type: 'merge', patch });
  await expectReferences(world, 'cluster2', 'submariner', [
    { kind: submarinerConfigs, name: 'submariner', namespace: 'cluster2', generation: 2 },
  ]);
}

/** Example 3 of the document, which continues example 2: the add-on supports a second config kind, which only one cluster uses. */
export async function severalKindsExample(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await createYaml(hub, DEPLOY_CONFIG);
  const supportedConfigs = [
    { group: proxyConfigurations.group, resource: proxyConfigurations.plural, defaultConfig: { name: 'cluster-proxy' } },
    { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' },
  ];
  await hub.patch(clusterManagementAddOns, { name: 'cluster-proxy' }, { type: 'merge', patch: { spec: { supportedConfigs } } });
  const configs = [
    { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', name: 'deploy-config', namespace: 'cluster1' },
  ];
  await hub.patch(managedClusterAddOns, { namespace: 'cluster1', name: 'cluster-proxy' }, { type: 'merge', patch: { spec: { configs } } });
  await expectReferences(world, 'cluster1', 'cluster-proxy', [
    { kind: addOnDeploymentConfigs, name: 'deploy-config', namespace: 'cluster1' },
    { kind: proxyConfigurations, name: 'cluster-proxy' },
  ]);
}
