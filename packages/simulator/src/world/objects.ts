import {
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  ADDON_GROUP,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type Placement,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusters,
  placements,
} from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, apiVersionOf } from '@outrigger/core';

/** The two add-ons of every run; `beta` depends on `alpha`. */
export const ADD_ONS = ['alpha', 'beta'] as const;
export type AddOnName = (typeof ADD_ONS)[number];
export const VERSIONS = ['v1', 'v2'] as const;
export type Version = (typeof VERSIONS)[number];
export const CLUSTERS = ['c1', 'c2', 'c3', 'c4'] as const;
export type ClusterName = (typeof CLUSTERS)[number];

/** The AddOnDeploymentConfig that a user sets by hand on one cluster. */
export const OWN_CONFIG = 'own';

/** The rollout settings of an entry in the install strategy. */
export interface Rollout {
  readonly type: 'All' | 'Progressive' | 'ProgressivePerGroup';
  readonly maxConcurrency: number | string;
  readonly maxFailures: number | string;
  readonly progressDeadline: string;
  readonly minSuccessTime: string;
}

/** The install strategy of a declaration. */
export interface Strategy {
  readonly type: 'Placements' | 'ClusterLabelSelector' | 'Manual';
  readonly rollout: Rollout;
  /** Whether a second entry, for the canary Placement, follows the first. */
  readonly hasCanary: boolean;
  /** The version that the first entry installs; if undefined, the entry follows the default version. */
  readonly version?: Version | undefined;
  readonly canaryVersion?: Version | undefined;
  readonly defaultVersion: Version;
}

function make<T extends KubeObject>(kind: Kind<T>, metadata: KubeObject['metadata'], rest: object): T {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest } as unknown as T;
}

export function templateName(addOn: AddOnName, version: Version): string {
  return `${addOn}-${version}`;
}

/** Builds a template. `content` determines how the agents report on it (see `model-agent.ts`). */
export function template(addOn: AddOnName, version: Version, content: string): AddOnTemplate {
  const container = { name: 'agent', image: `${addOn}-${version}:${content}` };
  const labels = { app: `${addOn}-agent` };
  const deployment: JsonObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `${addOn}-agent`, namespace: 'open-cluster-management-agent-addon', annotations: { level: '{{LEVEL}}' } },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  };
  const metadata = { name: templateName(addOn, version), labels: { 'open-cluster-management.io/addon-version': version } };
  const agentSpec = { workload: { manifests: [deployment] } };
  return make(addOnTemplates, metadata, { spec: { addonName: addOn, agentSpec, ...registrationOf(addOn, version, content) } });
}

/**
 * Returns the registration of an add-on. `beta` asks for permissions on the hub: a role in the namespace of the cluster, whose name depends
 * on the content, and from `v2` on also a role in a namespace that all clusters share. `alpha` asks for none.
 */
function registrationOf(addOn: AddOnName, version: Version, content: string): object {
  if (addOn !== 'beta') return {};
  const own = { type: 'CurrentCluster', currentCluster: { clusterRoleName: `${addOn}-${content}` } };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'shared' };
  const shared = { type: 'SingleNamespace', singleNamespace: { namespace: 'default', roleRef } };
  return { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions: version === 'v1' ? [own] : [own, shared] } }] };
}

export function deploymentConfig(name: string, level: string): AddOnDeploymentConfig {
  return make(addOnDeploymentConfigs, { namespace: 'default', name }, { spec: { customizedVariables: [{ name: 'LEVEL', value: level }] } });
}

export function declaration(addOn: AddOnName, strategy: Strategy): ClusterManagementAddOn {
  const { defaultVersion } = strategy;
  const supportedConfigs = [
    { group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: templateName(addOn, defaultVersion) } },
    { group: ADDON_GROUP, resource: 'addondeploymentconfigs', defaultConfig: { namespace: 'default', name: addOn } },
  ];
  const dependencies = addOn === 'beta' ? [{ name: 'alpha', type: 'Required' }] : undefined;
  const spec = { supportedConfigs, installStrategy: installStrategy(strategy), ...(dependencies ? { dependencies } : {}) };
  return make(clusterManagementAddOns, { name: addOn }, { spec });
}

function installStrategy(strategy: Strategy): object {
  const { type, version, canaryVersion, hasCanary } = strategy;
  const rollout = (isByLabels: boolean): object => ({ rolloutStrategy: rolloutStrategy(strategy.rollout, isByLabels) });
  const of = (wanted: Version | undefined): object => (wanted ? { addonTemplate: { installVersion: wanted } } : {});
  if (type === 'Manual') return { type };
  if (type === 'ClusterLabelSelector') {
    return { type, labelSelector: { matchLabels: { fleet: 'yes' } }, ...of(version), ...rollout(true) };
  }
  const canary = { namespace: 'default', name: 'canary', ...of(canaryVersion), ...rollout(false) };
  return { type, placements: [{ namespace: 'default', name: 'all', ...of(version), ...rollout(false) }, ...(hasCanary ? [canary] : [])] };
}

/** Builds a rollout strategy. A label selector has no decision groups, so it gets Progressive instead of ProgressivePerGroup. */
function rolloutStrategy({ type, maxConcurrency, maxFailures, progressDeadline, minSuccessTime }: Rollout, isByLabels: boolean): object {
  const options = { maxFailures, progressDeadline, minSuccessTime };
  if (type === 'All') return { type, all: { progressDeadline } };
  if (type === 'Progressive' || isByLabels) return { type: 'Progressive', progressive: { ...options, maxConcurrency } };
  return { type, progressivePerGroup: options };
}

/** A Placement for the clusters with a label. It tolerates unreachable clusters if `tolerates` is set. */
export function placement(name: string, label: Readonly<Record<string, string>>, groupSize: number, tolerates: boolean): Placement {
  const taints = ['unreachable', 'unavailable'].map((taint) => ({
    key: `cluster.open-cluster-management.io/${taint}`,
    operator: 'Exists',
  }));
  return make(
    placements,
    { namespace: 'default', name },
    {
      spec: {
        predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: label } } }],
        decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: groupSize } },
        ...(tolerates ? { tolerations: taints } : {}),
      },
    },
  );
}

export function managedCluster(name: string, labels: Readonly<Record<string, string>>): ManagedCluster {
  return make(managedClusters, { name, labels }, { spec: { hubAcceptsClient: true, leaseDurationSeconds: LEASE_SECONDS } });
}

/** A long lease duration, so that a run contains few renewals. */
export const LEASE_SECONDS = 240;
