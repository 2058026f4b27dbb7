import {
  type AddOnTemplate,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoles,
  deployments,
  leases,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  secrets,
} from '@outrigger/api';
import { type Kind, type KubeObject, type ObjectKey, findCondition, isApiError, isConditionTrue } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GoProcess } from './go-program.js';
import { type InteropWorld, startInteropWorld } from './world.js';

const ADDON_API = 'addon.open-cluster-management.io/v1alpha1';
const AGENT = { name: 'reg-agent', namespace: 'reg' };

function template(version: string): AddOnTemplate {
  const labels = { app: AGENT.name };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: AGENT,
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'agent', image: `example.com/reg:${version}` }] } },
    },
  };
  return {
    apiVersion: ADDON_API,
    kind: 'AddOnTemplate',
    metadata: { name: `reg-${version}`, labels: { 'open-cluster-management.io/addon-version': version } },
    spec: {
      addonName: 'reg',
      agentSpec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENT.namespace } }, deployment] } },
      registration: [
        {
          type: 'KubeClient',
          kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'reg-agent' } }] },
        },
      ],
    },
  };
}

const supported = (version: string) => [
  { group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: `reg-${version}` } },
];

async function declare(hub: Client): Promise<void> {
  await hub.create(clusterRoles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'reg-agent' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
  });
  // The local hub's manager has only the permissions that Outrigger ships, so an administrator must list the roles that it may bind.
  await hub.create(clusterRoles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'bind-reg-agent', labels: { 'outrigger.dev/aggregate-to-bindable-roles': 'true' } },
    rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: ['reg-agent'], verbs: ['bind'] }],
  });
  for (const version of ['v1', 'v2']) await hub.create(addOnTemplates, template(version));
  await hub.create(clusterManagementAddOns, {
    apiVersion: ADDON_API,
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'reg' },
    spec: { supportedConfigs: supported('v1'), installStrategy: { type: 'Manual' } },
  });
}

async function find<T extends KubeObject>(client: Client, kind: Kind<T>, key: ObjectKey): Promise<T | undefined> {
  return client.get(kind, key).catch((error: unknown) => {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  });
}

async function isGone(client: Client, kind: Kind, key: ObjectKey): Promise<true | undefined> {
  return (await find(client, kind, key)) ? undefined : true;
}

describe.each(['v1alpha1', 'v1beta1'])('an agent that makes upstream’s calls and uses add-on %s', (version) => {
  const name = 'edge1';
  const addOn = { namespace: name, name: 'reg' };
  let world: InteropWorld;
  let agent: GoProcess;
  beforeAll(async () => {
    world = await startInteropWorld();
    await declare(world.hub.fleet.hub);
    agent = world.join(name, version);
  });
  afterAll(() => world.stop());
  const hub = (): Client => world.hub.fleet.hub;
  const eventually = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    world.hub.eventually(what, look).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; the agent said:\n${agent.said}`);
    });
  const isAt = (wanted: string) => async () => {
    const { status } = await hub().get(managedClusterAddOns, addOn);
    const conditions = status?.conditions ?? [];
    const isDone = isConditionTrue(conditions, 'Available') && findCondition(conditions, 'Progressing')?.reason === 'Succeed';
    return isDone && status?.['currentVersion'] === wanted ? status : undefined;
  };

  it('joins: announced by itself, accepted and approved by a person', async () => {
    const request = await eventually('its certificate request', async () => /"detail":"(edge1-\w+)"/.exec(agent.said)?.[1]);
    expect((await hub().get(managedClusters, { name })).spec.hubAcceptsClient).toBe(false);
    const { code, note } = await world.hub.outrigger('accept', name);
    expect([code, note]).toEqual([0, expect.stringContaining(request) as string]);
    await world.kubectl.run(`certificate approve ${request}`);
    const cluster = await eventually('the cluster to be available', async () => {
      const found = await hub().get(managedClusters, { name });
      return isConditionTrue(found.status?.conditions, 'ManagedClusterConditionAvailable') ? found : undefined;
    });
    expect(isConditionTrue(cluster.status?.conditions, 'ManagedClusterJoined')).toBe(true);
    expect(cluster.status).toMatchObject({
      version: { kubernetes: expect.stringMatching(/^v1\./) as string },
      clusterClaims: [{ name: 'id.k8s.io', value: name }],
    });
  });

  it('keeps its lease', async () => {
    const key = { namespace: name, name: 'managed-cluster-lease' };
    const first = (await hub().get(leases, key)).spec?.renewTime;
    await eventually('the lease to be renewed', async () => ((await hub().get(leases, key)).spec?.renewTime === first ? undefined : true));
  });

  it('brings an add-on up, with its own credential', async () => {
    await hub().create(managedClusterAddOns, {
      apiVersion: ADDON_API,
      kind: 'ManagedClusterAddOn',
      metadata: addOn,
      spec: { installNamespace: AGENT.namespace },
    });
    await eventually('v1 to be available', isAt('v1'));
    const secret = await eventually('the credential', () =>
      find(world.cluster, secrets, { namespace: AGENT.namespace, name: 'reg-hub-kubeconfig' }),
    );
    expect(Object.keys(secret.data ?? {}).sort()).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
    const { conditions } = (await hub().get(managedClusterAddOns, addOn)).status ?? {};
    await eventually('the word of it', async () =>
      isConditionTrue((await hub().get(managedClusterAddOns, addOn)).status?.conditions, 'ClusterCertificateRotated') ? true : undefined,
    );
    expect(isConditionTrue(conditions, 'RegistrationApplied')).toBe(true);
  });

  it('follows to the next version', async () => {
    await hub().patch(clusterManagementAddOns, { name: 'reg' }, { type: 'merge', patch: { spec: { supportedConfigs: supported('v2') } } });
    await eventually('v2 to be available', isAt('v2'));
    const deployment = await world.cluster.get(deployments, AGENT);
    expect(deployment.spec).toMatchObject({ template: { spec: { containers: [{ image: 'example.com/reg:v2' }] } } });
  });

  it('removes the add-on again', async () => {
    await hub().delete(managedClusterAddOns, addOn);
    await eventually('its workload to go', () => isGone(world.cluster, deployments, AGENT));
    await eventually('its works to go', async () =>
      (await hub().list(manifestWorks, { namespace: name })).items.length > 0 ? undefined : true,
    );
    expect(await find(hub(), managedClusterAddOns, addOn)).toBeUndefined();
  });

  it('is detached with nothing left of it', async () => {
    await hub().create(managedClusterAddOns, { apiVersion: ADDON_API, kind: 'ManagedClusterAddOn', metadata: addOn, spec: {} });
    await eventually('v2 to be available again', isAt('v2'));
    await hub().delete(managedClusters, { name });
    await eventually('the cluster to go', () => isGone(hub(), managedClusters, { name }));
    expect((await hub().list(manifestWorks, { namespace: name })).items).toEqual([]);
    expect(await find(world.cluster, deployments, AGENT)).toBeUndefined();
    expect(await find(world.cluster, namespaces, { name: 'default' })).toBeDefined();
  });
});
