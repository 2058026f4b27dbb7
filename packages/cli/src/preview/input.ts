import {
  ADDON_GROUP,
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  INSTALLED_SPEC_ANNOTATION,
  INSTALLER_FIELD_MANAGER,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type PlacementDecision,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  convertObject,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
} from '@outrigger/api';
import { type KubeObject, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type PreviewInput, previewEntry } from '@outrigger/rules/preview';
import { entriesOf } from '@outrigger/rules/strategy';
import { EMPTY, snapshotLookups } from '@outrigger/rules/why';
import { notFound, usageError } from '../failure.js';
import { find, listOf } from '../fleet/objects.js';
import { templateOfVersion, templatesFor } from '../fleet/versions.js';
import { suggestion } from '@outrigger/rules/explanation';

/** The command-line arguments of a preview. */
export interface PreviewRequest {
  readonly addOn?: string;
  readonly cluster?: string;
  /** The strategy's entry that the cluster should belong to, as `namespace/name`. */
  readonly placement?: string;
  /** A version to use instead of the version that the cluster would get. */
  readonly to?: string;
}

/** The input objects of a preview. Objects from files replace those of the hub. */
export interface Objects {
  readonly managementAddOns: readonly ClusterManagementAddOn[];
  readonly templates: readonly AddOnTemplate[];
  readonly configs: readonly AddOnDeploymentConfig[];
  readonly clusters: readonly ManagedCluster[];
  readonly installed: readonly ManagedClusterAddOn[];
  readonly decisions: readonly PlacementDecision[];
}

export function objectsOfFiles(files: readonly KubeObject[]): Objects {
  const stored = files.map((object) =>
    object.kind === 'ClusterManagementAddOn' || object.kind === 'ManagedClusterAddOn'
      ? convertObject(object, 'addon.open-cluster-management.io/v1alpha1')
      : object,
  );
  const of = <T extends KubeObject>(kind: string): T[] => stored.filter((object) => object.kind === kind) as T[];
  return {
    managementAddOns: of('ClusterManagementAddOn'),
    templates: of('AddOnTemplate'),
    configs: of<AddOnDeploymentConfig>('AddOnDeploymentConfig').map(inNamespace),
    clusters: of('ManagedCluster'),
    installed: of('ManagedClusterAddOn'),
    decisions: [],
  };
}

/** Returns an object with its namespace. A config without a namespace gets the namespace `default`, as with kubectl. */
export function inNamespace<T extends KubeObject>(object: T): T {
  return object.kind === 'AddOnDeploymentConfig' ? { ...object, metadata: { namespace: 'default', ...object.metadata } } : object;
}

export async function objectsOfHub(hub: Client, cluster: string | undefined): Promise<Objects> {
  const [managementAddOns, templates, configs, clusters, installed, decisions] = await Promise.all([
    listOf(hub, clusterManagementAddOns),
    listOf(hub, addOnTemplates),
    listOf(hub, addOnDeploymentConfigs),
    cluster === undefined ? listOf(hub, managedClusters) : find(hub, managedClusters, { name: cluster }).then((one) => (one ? [one] : [])),
    listOf(hub, managedClusterAddOns, cluster),
    listOf(hub, placementDecisions),
  ]);
  return {
    managementAddOns,
    templates,
    configs,
    clusters,
    installed: installed.map(userOwnedPart).filter((one) => one !== undefined),
    decisions,
  };
}

/**
 * Adds the objects from files to those of a hub. An object from a file replaces the hub's object with the same kind, namespace and name.
 */
export function overlay(below: Objects, above: Objects): Objects {
  const merge = <T extends KubeObject>(a: readonly T[], b: readonly T[]): T[] => {
    const key = ({ metadata }: T): string => `${metadata.namespace ?? ''}/${metadata.name}`;
    const replaced = new Set(b.map(key));
    return [...a.filter((object) => !replaced.has(key(object))), ...b];
  };
  return {
    managementAddOns: merge(below.managementAddOns, above.managementAddOns),
    templates: merge(below.templates, above.templates),
    configs: merge(below.configs, above.configs),
    clusters: merge(below.clusters, above.clusters),
    installed: merge(below.installed, above.installed),
    decisions: below.decisions,
  };
}

/** Chooses the add-on, the cluster, and the entry of the strategy that the cluster would belong to. */
export function previewInput(objects: Objects, request: PreviewRequest): PreviewInput {
  const managementAddOn = pick(objects.managementAddOns, request.addOn, 'add-on');
  const name = nameOf(managementAddOn);
  const cluster =
    objects.clusters.find((one) => nameOf(one) === request.cluster) ??
    objects.clusters.find(() => request.cluster === undefined) ??
    exampleCluster(request.cluster ?? 'cluster1');
  const clusterName = nameOf(cluster);
  const installed = objects.installed.find(({ metadata }) => metadata.name === name && metadata.namespace === clusterName);
  const templates = templatesFor(objects.templates, name, managementAddOn, installed);
  if (request.to !== undefined) templateOfVersion(templates, name, request.to);
  requireEntry(managementAddOn, request.placement);
  const lookups = snapshotLookups({ ...EMPTY, clusters: [cluster], decisions: objects.decisions });
  return {
    managementAddOn,
    templates,
    configs: objects.configs,
    cluster,
    clusterAddOn: atVersion(installed, { name, namespace: clusterName }, request.to),
    entry: previewEntry(managementAddOn.spec, clusterName, lookups, request.placement),
  };
}

function requireEntry(managementAddOn: ClusterManagementAddOn, placement: string | undefined): void {
  const names = entriesOf(managementAddOn.spec).map((entry) => entry.name);
  if (placement !== undefined && !names.includes(placement))
    throw notFound(`the strategy of ${nameOf(managementAddOn)} has no Placement "${placement}"${suggestion(placement, names)}`);
}

/** Returns the add-on with the given version as an override. */
function atVersion(
  installed: ManagedClusterAddOn | undefined,
  metadata: { readonly name: string; readonly namespace: string },
  installVersion: string | undefined,
): ManagedClusterAddOn | undefined {
  if (installVersion === undefined) return installed;
  const { spec, ...rest } = installed ?? { apiVersion: `${ADDON_GROUP}/v1alpha1`, kind: 'ManagedClusterAddOn', metadata, spec: {} };
  return { ...rest, spec: { ...spec, installVersion } };
}

function pick(managementAddOns: readonly ClusterManagementAddOn[], name: string | undefined, what: string): ClusterManagementAddOn {
  const names = managementAddOns.map(nameOf);
  if (name === undefined) {
    const [only, second] = managementAddOns;
    if (only && !second) return only;
    throw usageError(only ? `which ${what}? There are ${names.join(', ')}` : 'there is no ClusterManagementAddOn in these files');
  }
  const found = managementAddOns.find((managementAddOn) => nameOf(managementAddOn) === name);
  if (found) return found;
  throw notFound(`there is no ${what} "${name}"${suggestion(name, names)}`);
}

function exampleCluster(name: string): ManagedCluster {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name },
    spec: { hubAcceptsClient: true },
  };
}

/**
 * Returns the add-on with only its overrides, because its other fields follow the strategy, which the previewed files may change. Returns
 * undefined if the installer created the add-on and it has no overrides.
 */
function userOwnedPart(clusterAddOn: ManagedClusterAddOn): ManagedClusterAddOn | undefined {
  if (clusterAddOn.metadata.annotations?.[INSTALLED_SPEC_ANNOTATION] === undefined) return clusterAddOn;
  const userOwned = new Set(
    (clusterAddOn.metadata.managedFields ?? [])
      .filter(({ manager, subresource }) => manager !== INSTALLER_FIELD_MANAGER && subresource === undefined)
      .flatMap(({ fieldsV1 }) => Object.keys((fieldsV1?.['f:spec'] as Record<string, unknown> | undefined) ?? {})),
  );
  const spec = Object.fromEntries(Object.entries(clusterAddOn.spec).filter(([field]) => userOwned.has(`f:${field}`)));
  return Object.keys(spec).length > 0 ? { ...clusterAddOn, spec } : undefined;
}
