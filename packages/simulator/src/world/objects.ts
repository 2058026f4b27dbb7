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
import { type JsonObject, type Kind, type KubeObject, apiVersionOf, asJson } from '@outrigger/core';

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

/**
 * The Placements that entries may follow. `most` selects the same clusters as `all`, so that an entry that changes from one to the other is
 * renamed. A run starts without `most`.
 */
export const PLACEMENTS = ['all', 'canary', 'most'] as const;
export type PlacementName = (typeof PLACEMENTS)[number];

/** One entry of an install strategy with its own rollout settings. */
export interface Entry {
  readonly placement: PlacementName;
  readonly rollout: Rollout;
  /** The version that the entry installs; if undefined, the entry follows the default version. */
  readonly version?: Version | undefined;
}

/** The names that a declaration may depend on. No add-on is named `gamma`. */
export const DEPENDENCIES = ['alpha', 'beta', 'gamma'] as const;
export interface Dependency {
  readonly name: (typeof DEPENDENCIES)[number];
  readonly type: 'Required' | 'Optional';
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
  if (type === 'Manual') return { type };
  if (type === 'ClusterLabelSelector') {
    return { type, labelSelector: { matchLabels: { fleet: 'yes' } }, ...installs(version), ...rollout(true) };
  }
  const canary = { namespace: 'default', name: 'canary', ...installs(canaryVersion), ...rollout(false) };
  const all = { namespace: 'default', name: 'all', ...installs(version), ...rollout(false) };
  return { type, placements: [all, ...(hasCanary ? [canary] : [])] };
}

/** Builds the install strategy of type Placements with these entries. */
export function strategyOfEntries(entries: readonly Entry[]): JsonObject {
  const placements = entries.map(({ placement, rollout, version }) => {
    return { namespace: 'default', name: placement, ...installs(version), rolloutStrategy: rolloutStrategy(rollout, false) };
  });
  return asJson({ type: 'Placements', placements });
}

function installs(version: Version | undefined): object {
  return version ? { addonTemplate: { installVersion: version } } : {};
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

/** Builds a Placement with the settings that it has at the start of a run, or that `most` always has. */
export function initialPlacement(name: PlacementName): Placement {
  return name === 'canary' ? placement(name, { canary: 'yes' }, 1, false) : placement(name, { fleet: 'yes' }, 1, true);
}

/** The Placements that the entries of a declaration name. */
export function namedPlacements({ spec }: ClusterManagementAddOn): readonly PlacementName[] {
  const names = new Set((spec.installStrategy?.placements ?? []).map(({ name }) => name));
  return PLACEMENTS.filter((name) => names.has(name));
}

export function managedCluster(name: string, labels: Readonly<Record<string, string>>): ManagedCluster {
  return make(managedClusters, { name, labels }, { spec: { hubAcceptsClient: true, leaseDurationSeconds: LEASE_SECONDS } });
}

/** A long lease duration, so that a run contains few renewals. */
export const LEASE_SECONDS = 240;
