import {
  ADDON_GROUP,
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION,
  INSTALLED_SPEC_ANNOTATION,
  INSTALLER_FIELD_MANAGER,
  type InstallStrategy,
  type ManagedCluster,
  type ManagedClusterAddOn,
  PLACEMENT_LABEL,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  convertObject,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { notFound, usageError } from '../failure.js';
import { find, listOf, nameOf } from '../fleet/objects.js';
import { templateOfVersion, templatesFor } from '../fleet/versions.js';
import { suggestion } from '@outrigger/rules/explanation';
import type { PreviewInput } from './preview.js';

/** The arguments of a preview. */
export interface PreviewRequest {
  readonly addOn?: string;
  readonly cluster?: string;
  /** `namespace/name` of the strategy's entry that the cluster should belong to. */
  readonly placement?: string;
  /** A version other than the one the cluster would get. */
  readonly to?: string;
}

/** The objects that a preview is made from. Objects from files replace those of the hub. */
export interface Objects {
  readonly addOns: readonly ClusterManagementAddOn[];
  readonly templates: readonly AddOnTemplate[];
  readonly configs: readonly AddOnDeploymentConfig[];
  readonly clusters: readonly ManagedCluster[];
  readonly installed: readonly ManagedClusterAddOn[];
  /** Selected clusters by `namespace/name` of the Placement. */
  readonly decisions: ReadonlyMap<string, ReadonlySet<string>>;
}

export function objectsOfFiles(files: readonly KubeObject[]): Objects {
  const stored = files.map((object) =>
    object.kind === 'ClusterManagementAddOn' || object.kind === 'ManagedClusterAddOn'
      ? convertObject(object, 'addon.open-cluster-management.io/v1alpha1')
      : object,
  );
  const of = <T extends KubeObject>(kind: string): T[] => stored.filter((object) => object.kind === kind) as T[];
  return {
    addOns: of('ClusterManagementAddOn'),
    templates: of('AddOnTemplate'),
    configs: of<AddOnDeploymentConfig>('AddOnDeploymentConfig').map((config) => ({
      ...config,
      metadata: { namespace: 'default', ...config.metadata },
    })),
    clusters: of('ManagedCluster'),
    installed: of('ManagedClusterAddOn'),
    decisions: new Map(),
  };
}

export async function objectsOfHub(hub: Client, cluster: string | undefined): Promise<Objects> {
  const [addOns, templates, configs, clusters, installed, pages] = await Promise.all([
    listOf(hub, clusterManagementAddOns),
    listOf(hub, addOnTemplates),
    listOf(hub, addOnDeploymentConfigs),
    cluster === undefined ? listOf(hub, managedClusters) : find(hub, managedClusters, { name: cluster }).then((one) => (one ? [one] : [])),
    listOf(hub, managedClusterAddOns, cluster),
    listOf(hub, placementDecisions),
  ]);
  const decisions = new Map<string, Set<string>>();
  for (const { metadata, status } of pages) {
    const placement = `${metadata.namespace}/${metadata.labels?.[PLACEMENT_LABEL]}`;
    const chosen = decisions.get(placement) ?? new Set<string>();
    for (const { clusterName } of status?.decisions ?? []) chosen.add(clusterName);
    decisions.set(placement, chosen);
  }
  return { addOns, templates, configs, clusters, installed: installed.map(personsPart).filter((one) => one !== undefined), decisions };
}

/** Adds the objects of files to those of a hub: an object of the same kind, namespace and name replaces the hub's. */
export function overlay(below: Objects, above: Objects): Objects {
  const merge = <T extends KubeObject>(a: readonly T[], b: readonly T[]): T[] => {
    const key = ({ metadata }: T): string => `${metadata.namespace ?? ''}/${metadata.name}`;
    const replaced = new Set(b.map(key));
    return [...a.filter((object) => !replaced.has(key(object))), ...b];
  };
  return {
    addOns: merge(below.addOns, above.addOns),
    templates: merge(below.templates, above.templates),
    configs: merge(below.configs, above.configs),
    clusters: merge(below.clusters, above.clusters),
    installed: merge(below.installed, above.installed),
    decisions: below.decisions,
  };
}

/** Picks the add-on and the cluster, and changes the strategy so that it selects the cluster without a rollout. */
export function previewInput(objects: Objects, request: PreviewRequest): PreviewInput {
  const addOn = pick(objects.addOns, request.addOn, 'add-on');
  const name = nameOf(addOn);
  const cluster =
    objects.clusters.find((one) => nameOf(one) === request.cluster) ??
    objects.clusters.find(() => request.cluster === undefined) ??
    exampleCluster(request.cluster ?? 'cluster1');
  const clusterName = nameOf(cluster);
  const standing = objects.installed.find(({ metadata }) => metadata.name === name && metadata.namespace === clusterName);
  const templates = templatesFor(objects.templates, name, addOn, standing);
  if (request.to !== undefined) templateOfVersion(templates, name, request.to);
  const installed = atVersion(standing, { name, namespace: clusterName }, request.to);
  const supportedConfigs = (addOn.spec.supportedConfigs ?? []).filter(isRendered);
  const installStrategy = selecting(addOn, objects, clusterName, request.placement);
  return {
    addOn: { ...addOn, spec: { ...addOn.spec, supportedConfigs, installStrategy } },
    templates,
    configs: objects.configs,
    cluster: openCluster(cluster),
    ...(installed ? { installed: withRenderedConfigs(installed) } : {}),
  };
}

/** The cluster without the annotation that disables automatic installation: a preview shows what the cluster would get without it. */
function openCluster(cluster: ManagedCluster): ManagedCluster {
  const { [DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION]: _, ...annotations } = cluster.metadata.annotations ?? {};
  return { ...cluster, metadata: { ...cluster.metadata, annotations } };
}

/** The add-on with a version as its override. */
function atVersion(
  installed: ManagedClusterAddOn | undefined,
  metadata: { readonly name: string; readonly namespace: string },
  installVersion: string | undefined,
): ManagedClusterAddOn | undefined {
  if (installVersion === undefined) return installed;
  const { spec, ...rest } = installed ?? { apiVersion: `${ADDON_GROUP}/v1alpha1`, kind: 'ManagedClusterAddOn', metadata, spec: {} };
  return { ...rest, spec: { ...spec, installVersion } };
}

/**
 * Whether a config can change the manifests. Configs of other groups are read by the agent only, and the preview's server does not serve
 * them.
 */
function isRendered({ group }: { readonly group?: string }): boolean {
  return group === ADDON_GROUP;
}

function withRenderedConfigs(installed: ManagedClusterAddOn): ManagedClusterAddOn {
  const { configs } = installed.spec;
  return configs ? { ...installed, spec: { ...installed.spec, configs: configs.filter(isRendered) } } : installed;
}

/** A strategy that selects every cluster and has the version and configs of this cluster's entry. */
function selecting(addOn: ClusterManagementAddOn, { decisions }: Objects, cluster: string, placement: string | undefined): InstallStrategy {
  const strategy = addOn.spec.installStrategy ?? {};
  const all = { type: 'ClusterLabelSelector' as const, labelSelector: {} };
  if (strategy.type !== 'Placements') {
    const { addonTemplate, configs } = strategy.type === 'ClusterLabelSelector' ? strategy : {};
    return { ...all, ...(addonTemplate ? { addonTemplate } : {}), ...(configs ? { configs: configs.filter(isRendered) } : {}) };
  }
  const entries = strategy.placements ?? [];
  const names = entries.map((entry) => `${entry.namespace}/${entry.name}`);
  if (placement !== undefined && !names.includes(placement))
    throw usageError(`the strategy of ${nameOf(addOn)} has no Placement "${placement}"${suggestion(placement, names)}`);
  const chosen = placement === undefined ? names.findLastIndex((one) => decisions.get(one)?.has(cluster)) : names.indexOf(placement);
  const entry = entries[chosen] ?? (entries.length === 1 ? entries[0] : undefined);
  return {
    ...all,
    ...(entry?.addonTemplate ? { addonTemplate: entry.addonTemplate } : {}),
    ...(entry?.configs ? { configs: entry.configs.filter(isRendered) } : {}),
  };
}

function pick(addOns: readonly ClusterManagementAddOn[], name: string | undefined, what: string): ClusterManagementAddOn {
  const names = addOns.map(nameOf);
  if (name === undefined) {
    const [only, second] = addOns;
    if (only && !second) return only;
    throw usageError(only ? `which ${what}? There are ${names.join(', ')}` : 'there is no ClusterManagementAddOn in these files');
  }
  const found = addOns.find((addOn) => nameOf(addOn) === name);
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
 * The add-on with its overrides only: its other fields follow the strategy, and the preview may be about a change of the strategy.
 * Undefined if the installer created the add-on and it has no overrides.
 */
function personsPart(addOn: ManagedClusterAddOn): ManagedClusterAddOn | undefined {
  if (addOn.metadata.annotations?.[INSTALLED_SPEC_ANNOTATION] === undefined) return addOn;
  const persons = new Set(
    (addOn.metadata.managedFields ?? [])
      .filter(({ manager, subresource }) => manager !== INSTALLER_FIELD_MANAGER && subresource === undefined)
      .flatMap(({ fieldsV1 }) => Object.keys((fieldsV1?.['f:spec'] as Record<string, unknown> | undefined) ?? {})),
  );
  const spec = Object.fromEntries(Object.entries(addOn.spec).filter(([field]) => persons.has(`f:${field}`)));
  return Object.keys(spec).length > 0 ? { ...addOn, spec } : undefined;
}
