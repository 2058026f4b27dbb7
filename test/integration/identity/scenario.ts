import { BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME } from '@outrigger/agent';
import {
  ADDON_VERSION_LABEL,
  AGENT_NAMESPACE,
  type AddOnDependency,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  type Lease,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManagedClusterStatus,
  type Secret,
  addOnTemplates,
  clusterClaims,
  clusterManagementAddOns,
  clusterRoles,
  configMaps,
  leases,
  managedClusterAddOns,
  managedClusters,
  namespaces,
  secrets,
} from '@outrigger/api';
import { type Condition, type KubeObject, type Runtime, findCondition, isApiError, toMicroTime } from '@outrigger/core';
import { createCertificateAuthority } from '@outrigger/core/x509';
import { toYaml } from '@outrigger/core/yaml';
import type { Client, ConnectionConfig } from '@outrigger/kube';
import { ensure } from './bootstrap-rights.js';

/** Two API servers, a wait with the clock in use, and a way to connect with credentials found in a Secret. */
export interface IdentityWorld {
  readonly hub: Client;
  readonly cluster: Client;
  readonly hubServer: string;
  readonly hubCa: string;
  /** The clock, keys and random source of the scenario. */
  readonly runtime: Pick<Runtime, 'clock' | 'keys' | 'random'>;
  eventually<T>(what: string, condition: () => Promise<T | undefined>): Promise<T>;
  connect(config: ConnectionConfig): Client;
}

export const CLUSTER = 'cluster1';
export const ADDON = 'hello';
export const ADDON_NAMESPACE = 'hello-agent';
export const SIGNER = 'example.com/hello';
export const AUTHORITY_SECRET = 'hello-ca';
export const HELLO_ROLE = 'hello-reports';
const DAY_MS = 24 * 3_600_000;

/** Creates the bootstrap kubeconfig that a cluster needs to join. */
export async function giveBootstrap(
  world: Pick<IdentityWorld, 'cluster' | 'hubServer' | 'hubCa'>,
  user: { readonly token: string },
  server = world.hubServer,
): Promise<void> {
  await ensure(world.cluster, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENT_NAMESPACE } });
  const kubeconfig = toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'hub', cluster: { server, 'certificate-authority-data': btoa(world.hubCa) } }],
    users: [{ name: 'bootstrap', user }],
    contexts: [{ name: 'bootstrap', context: { cluster: 'hub', user: 'bootstrap' } }],
    'current-context': 'bootstrap',
  });
  const key = { name: BOOTSTRAP_SECRET_NAME, namespace: AGENT_NAMESPACE };
  const data = { kubeconfig: btoa(kubeconfig) };
  const old = await found(world.cluster.get(secrets, key));
  if (old) await world.cluster.patch(secrets, key, { type: 'merge', patch: { data } });
  else await world.cluster.create<Secret>(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, type: 'Opaque', data });
}

export function announced(world: IdentityWorld, name = CLUSTER): Promise<ManagedCluster> {
  return world.eventually('ManagedCluster', () => found(world.hub.get(managedClusters, { name })));
}

/** Waits for the agent's own credential. */
export function joined(world: IdentityWorld): Promise<Secret> {
  return world.eventually("the agent's own Secret", async () => {
    const secret = await found(world.cluster.get(secrets, { namespace: AGENT_NAMESPACE, name: HUB_SECRET_NAME }));
    return secret?.data?.['tls.crt'] ? secret : undefined;
  });
}

export function clusterConditionIs(world: IdentityWorld, type: string, status: string, name = CLUSTER): Promise<Condition> {
  return world.eventually(`${type} ${status} on the ManagedCluster`, async () => {
    const cluster = await found(world.hub.get(managedClusters, { name }));
    const condition = findCondition(cluster?.status?.conditions, type);
    return condition?.status === status ? condition : undefined;
  });
}

/** Creates a claim on the cluster and waits until the ManagedCluster's status shows the claim. Returns this status. */
export async function tellsAboutItself(world: IdentityWorld, name: string, value: string): Promise<ManagedClusterStatus> {
  const claim = { apiVersion: 'cluster.open-cluster-management.io/v1alpha1', kind: 'ClusterClaim', metadata: { name }, spec: { value } };
  await world.cluster.create(clusterClaims, claim);
  return world.eventually(`the claim ${name}`, async () => {
    const { status } = await world.hub.get(managedClusters, { name: CLUSTER });
    return status?.clusterClaims?.some((told) => told.name === name && told.value === value) ? status : undefined;
  });
}

export function helloTemplate(version: 'v1' | 'v2'): AddOnTemplate {
  const labels = { app: 'hello' };
  const image = `example.com/hello:${version.slice(1)}`;
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnTemplate',
    metadata: { name: `hello-${version}`, labels: { [ADDON_VERSION_LABEL]: version } },
    spec: {
      addonName: ADDON,
      agentSpec: {
        workload: {
          manifests: [
            { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ADDON_NAMESPACE } },
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              metadata: { name: 'hello-agent', namespace: ADDON_NAMESPACE, labels },
              spec: {
                replicas: 1,
                selector: { matchLabels: labels },
                template: { metadata: { labels }, spec: { containers: [{ name: 'agent', image }] } },
              },
            },
          ],
        },
      },
      registration: [
        {
          type: 'KubeClient',
          kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: HELLO_ROLE } }] },
        },
        {
          type: 'CustomSigner',
          customSigner: {
            signerName: SIGNER,
            subject: { user: 'hello', groups: ['g1'], organizationUnit: ['u1'] },
            signingCA: { name: AUTHORITY_SECRET },
          },
        },
      ],
    },
  };
}

function declaration(name: string, spec: ClusterManagementAddOn['spec']): ClusterManagementAddOn {
  return { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', metadata: { name }, spec };
}

function byTemplate(template: string): Pick<ClusterManagementAddOn['spec'], 'supportedConfigs'> {
  const group = 'addon.open-cluster-management.io';
  return { supportedConfigs: [{ group, resource: 'addontemplates', defaultConfig: { name: template } }] };
}

/** Moves every cluster to another template, which may be an earlier one. */
export async function useTemplate({ hub }: IdentityWorld, template: string): Promise<void> {
  await hub.patch(clusterManagementAddOns, { name: ADDON }, { type: 'merge', patch: { spec: byTemplate(template) as never } });
}

/** Declares an add-on from a template without a workload, on which other add-ons can depend. */
export async function declareBase({ hub }: IdentityWorld): Promise<void> {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'base', namespace: 'default' }, data: { greets: 'yes' } };
  await hub.create(addOnTemplates, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnTemplate',
    metadata: { name: 'base-v1', labels: { [ADDON_VERSION_LABEL]: 'v1' } },
    spec: { addonName: 'base', agentSpec: { workload: { manifests: [settings] } } },
  });
  await hub.create(clusterManagementAddOns, declaration('base', byTemplate('base-v1')));
}

/** Declares an add-on that another manager renders. */
export async function declareLeased({ hub }: IdentityWorld, name: string, dependencies: readonly AddOnDependency[]): Promise<void> {
  await hub.create(clusterManagementAddOns, declaration(name, { dependencies }));
}

export interface HelloOptions {
  readonly dependencies?: readonly AddOnDependency[];
  /** The certificate that the scenario stores for the signing CA. By default it generates one. */
  readonly certificate?: string;
}

/** Declares an add-on with both kinds of registration and installs it on the cluster. Returns its signing CA. */
export async function installHello(
  world: IdentityWorld,
  { dependencies = [], certificate }: HelloOptions = {},
): Promise<{ readonly certificate: string }> {
  const { hub } = world;
  const { clock, keys, random } = world.runtime;
  const now = clock.now();
  const validity = { notBefore: now - 60_000, notAfter: now + 10 * DAY_MS, serial: random.bytes(16) };
  const authority = await createCertificateAuthority(keys, { commonName: AUTHORITY_SECRET, ...validity });
  await hub.create(clusterRoles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: HELLO_ROLE },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update'] }],
  } as KubeObject);
  await hub.create<Secret>(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: AUTHORITY_SECRET, namespace: 'default' },
    type: 'Opaque',
    data: { 'ca.crt': btoa(certificate ?? authority.certificate), 'ca.key': btoa(authority.privateKey) },
  });
  await hub.create(addOnTemplates, helloTemplate('v1'));
  await hub.create(clusterManagementAddOns, declaration(ADDON, { ...byTemplate('hello-v1'), dependencies }));
  await createAddOn(world, ADDON, { installNamespace: ADDON_NAMESPACE });
  return authority;
}

export async function createAddOn(world: IdentityWorld, name: string, spec: ManagedClusterAddOn['spec']): Promise<ManagedClusterAddOn> {
  await world.eventually('the namespace of the cluster', () => found(world.hub.get(namespaces, { name: CLUSTER })));
  return world.hub.create(managedClusterAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { name, namespace: CLUSTER },
    spec,
  });
}

/** Waits for a Secret of an add-on on its cluster. Returns the decoded data of the Secret. */
export function credential(world: IdentityWorld, name: string, namespace = ADDON_NAMESPACE): Promise<Readonly<Record<string, string>>> {
  return world.eventually(`Secret ${namespace}/${name}`, async () => {
    const secret = await found(world.cluster.get(secrets, { namespace, name }));
    if (!secret?.data) return undefined;
    return Object.fromEntries(Object.entries(secret.data).map(([key, value]) => [key, atob(value)]));
  });
}

/** The permissions that the add-on has on the hub, as its template grants them. */
export const HELLO_RIGHTS: Readonly<Record<string, string>> = {
  'write its report': 'allowed',
  'read its report': 'allowed',
  'delete its report': 'Forbidden',
  "read another cluster's report": 'Forbidden',
  'read Secrets': 'Forbidden',
  'read add-ons': 'Forbidden',
};

/** Tests which permissions a credential has on the hub. */
export async function rightsOf(client: Client): Promise<Readonly<Record<string, string>>> {
  const report = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello-report', namespace: CLUSTER } };
  const attempts: Readonly<Record<string, () => Promise<unknown>>> = {
    'write its report': () => client.create(configMaps, report),
    'read its report': () => client.get(configMaps, { name: 'hello-report', namespace: CLUSTER }),
    'delete its report': () => client.delete(configMaps, { name: 'hello-report', namespace: CLUSTER }),
    "read another cluster's report": () => client.get(configMaps, { name: 'hello-report', namespace: 'default' }),
    'read Secrets': () => client.list(secrets, { namespace: CLUSTER }),
    'read add-ons': () => client.list(managedClusterAddOns, { namespace: CLUSTER }),
  };
  const answers: [string, string][] = [];
  for (const [what, attempt] of Object.entries(attempts)) answers.push([what, await answerOf(attempt())]);
  return Object.fromEntries(answers);
}

/** Returns `allowed`, or the reason of the error. */
export async function answerOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'allowed';
  } catch (error) {
    if (isApiError(error)) return error.reason;
    throw error;
  }
}

export async function addOnConditionIs(world: IdentityWorld, addOn: string, type: string, status: string): Promise<Condition> {
  return world.eventually(`${type} ${status} on ${addOn}`, async () => {
    const mca = await found(world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: addOn }));
    const condition = findCondition(mca?.status?.conditions, type);
    return condition?.status === status ? condition : undefined;
  });
}

/** Sets the health check of an add-on that another manager renders to the mode Lease. */
export async function sayLeaseMode({ hub }: IdentityWorld, addOn: string): Promise<void> {
  const patch = { status: { healthCheck: { mode: 'Lease' }, namespace: ADDON_NAMESPACE } };
  await hub.patch(managedClusterAddOns, { namespace: CLUSTER, name: addOn }, { type: 'merge', patch }, { subresource: 'status' });
}

/** Renews the lease of an add-on, as a healthy add-on does every minute. */
export async function renewLease(world: IdentityWorld, addOn: string, leaseDurationSeconds = 60): Promise<void> {
  const key = { name: addOn, namespace: ADDON_NAMESPACE };
  await ensure(world.cluster, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ADDON_NAMESPACE } });
  const spec = { holderIdentity: addOn, leaseDurationSeconds, renewTime: toMicroTime(world.runtime.clock.now()) };
  const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: key, spec };
  if (await found(world.cluster.get(leases, key))) await world.cluster.patch(leases, key, { type: 'merge', patch: { spec } });
  else await world.cluster.create(leases, lease);
}

export async function secretsOf(world: IdentityWorld, addOn: string): Promise<readonly string[]> {
  const { items } = await world.cluster.list(secrets, { labelSelector: `open-cluster-management.io/addon-name=${addOn}` });
  return items.map(({ metadata }) => metadata.name ?? '').sort();
}

export async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
