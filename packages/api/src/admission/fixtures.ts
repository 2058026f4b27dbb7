import type { KubeObject, AdmissionRequest } from '@outrigger/core';
import type { AddOnTemplate, ClusterManagementAddOn } from '../generated/addon.js';
import { templateView } from './add-on-template.js';
import { addOnView } from './references.js';
import type { AdmissionLookup, AdmissionResult, AdmissionSettings } from './types.js';

export const ADC = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' };
export const TEMPLATES = { group: 'addon.open-cluster-management.io', resource: 'addontemplates' };

export const NOW = '2026-01-01T00:00:00Z';

export const SETTINGS: AdmissionSettings = {
  managerNamespace: 'manager',
  trustedUsers: ['outrigger'],
  checkMissingExecutor: false,
};

export function addOn(name: string, spec: ClusterManagementAddOn['spec'] = {}): ClusterManagementAddOn {
  return { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', metadata: { name }, spec };
}

export function dependingOn(name: string, ...dependencies: readonly string[]): ClusterManagementAddOn {
  return addOn(name, { dependencies: dependencies.map((dependency) => ({ name: dependency })) });
}

export function template(name: string, addonName: string, version?: string, spec: Partial<AddOnTemplate['spec']> = {}): AddOnTemplate {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnTemplate',
    metadata: { name, ...(version === undefined ? {} : { labels: { 'open-cluster-management.io/addon-version': version } }) },
    spec: { addonName, agentSpec: {}, ...spec },
  };
}

/** Returns a lookup for a hub that has only these objects. */
export function hubWith(objects: {
  readonly addOns?: readonly ClusterManagementAddOn[];
  readonly templates?: readonly AddOnTemplate[];
  /** The names of the installed add-ons, by cluster. */
  readonly installed?: Readonly<Record<string, readonly string[]>>;
  readonly terminating?: readonly string[];
  /** The config kinds that ManagedClusterAddOns list in their status, by add-on. */
  readonly published?: Readonly<Record<string, readonly { readonly group: string; readonly resource: string }[]>>;
  /** The agentInstallNamespace of each deployment config, by `namespace/name`. */
  readonly deploymentConfigs?: Readonly<Record<string, string | undefined>>;
  /** The names of the add-ons that reference a template on a cluster, by template. */
  readonly templateUsers?: Readonly<Record<string, readonly string[]>>;
  /** The names of the add-ons that reference a deployment config, by its `namespace/name`. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
}): AdmissionLookup {
  const addOns = (objects.addOns ?? []).map(addOnView);
  const templates = (objects.templates ?? []).map(templateView);
  const installed = objects.installed ?? {};
  return {
    addOn: (name) => addOns.find((view) => view.name === name),
    addOns: () => addOns,
    template: (name) => templates.find((view) => view.name === name),
    templatesOf: (name) => templates.filter((view) => view.addonName === name),
    templateUsers: (name) => [
      ...addOns.filter((view) => view.templates.includes(name)).map((view) => view.name),
      ...(objects.templateUsers?.[name] ?? []),
    ],
    publishedConfigs: (name) => objects.published?.[name] ?? [],
    deploymentConfig: (namespace, name) => {
      const found = objects.deploymentConfigs ?? {};
      const key = `${namespace}/${name}`;
      return key in found ? { agentInstallNamespace: found[key] } : undefined;
    },
    deploymentConfigUsers: (namespace, name) => objects.users?.[`${namespace}/${name}`] ?? [],
    installations: (name) => Object.values(installed).filter((names) => names.includes(name)).length,
    addOnsOn: (cluster) => installed[cluster] ?? [],
    isTerminating: (namespace) => objects.terminating?.includes(namespace) ?? false,
  };
}

export function writing(object: KubeObject, oldObject?: KubeObject, username = 'jane'): AdmissionRequest {
  const [group = '', version = ''] = object.apiVersion.split('/');
  return {
    operation: oldObject ? 'UPDATE' : 'CREATE',
    kind: { group, version, kind: object.kind },
    userInfo: { username },
    object,
    ...(oldObject ? { oldObject } : {}),
  };
}

export function deleting(object: KubeObject): AdmissionRequest {
  const { object: _, ...request } = writing(object, object);
  const { name, namespace } = object.metadata;
  return { ...request, operation: 'DELETE', ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) };
}

/** Formats a result for a table: `ok`, the rejection message, or the required permissions. */
export function brief(result: AdmissionResult): string {
  if (!result.allowed) return result.message;
  const rights = (result.requires ?? []).map(({ attributes: { verb, resource, subresource, namespace, name } }) =>
    [verb, subresource ? `${resource}/${subresource}` : resource, namespace ? `${namespace}/${name}` : name].join(' '),
  );
  return rights.length === 0 ? 'ok' : `if ${rights.join(', ')}`;
}
