import { DEFAULT_INSTALL_NAMESPACE, INSTALLED_SPEC_ANNOTATION, INSTALLER_FIELD_MANAGER, type ManagedClusterAddOn } from '@outrigger/api';
import type { JsonObject, ManagedFieldsEntry } from '@outrigger/core';
import { type AddOnProjection, projectAddOn } from '../observed/add-ons.js';
import { installedSpec } from '../strategy/mark.js';
import { isRendered } from './entry.js';
import type { PreviewInput } from './preview.js';

/**
 * Returns the ManagedClusterAddOn as the installer would write it. An add-on that a user created is not changed. In an add-on that the
 * installer created, the fields without an override are taken from the entry.
 */
export function previewedAddOn({ managementAddOn, cluster, clusterAddOn, entry }: PreviewInput): AddOnProjection {
  const { installVersion, configs, installNamespace } = entry.template;
  const isInstallers = clusterAddOn === undefined || clusterAddOn.metadata.annotations?.[INSTALLED_SPEC_ANNOTATION] !== undefined;
  const own = withRenderedConfigs(clusterAddOn?.spec ?? {});
  const followed = isInstallers ? { ...(installVersion ? { installVersion } : {}), ...(configs ? { configs } : {}) } : {};
  // The installer writes the namespace only when it creates the add-on.
  const namespace = own.installNamespace ?? (clusterAddOn ? undefined : installNamespace) ?? DEFAULT_INSTALL_NAMESPACE;
  const annotations = {
    ...clusterAddOn?.metadata.annotations,
    ...(isInstallers ? { [INSTALLED_SPEC_ANNOTATION]: installedSpec(entry.template) } : {}),
  };
  const object: ManagedClusterAddOn = {
    apiVersion: managementAddOn.apiVersion,
    kind: 'ManagedClusterAddOn',
    metadata: {
      name: managementAddOn.metadata.name ?? '',
      namespace: cluster.metadata.name ?? '',
      annotations,
      managedFields: [
        ...(isInstallers ? [fieldsOf(INSTALLER_FIELD_MANAGER, Object.keys(followed), [INSTALLED_SPEC_ANNOTATION])] : []),
        fieldsOf('person', Object.keys(own), []),
      ],
    },
    spec: { ...followed, ...own, installNamespace: namespace },
  };
  return projectAddOn(object, (value) => value);
}

function withRenderedConfigs(spec: ManagedClusterAddOn['spec']): ManagedClusterAddOn['spec'] {
  return spec.configs ? { ...spec, configs: spec.configs.filter(isRendered) } : spec;
}

function fieldsOf(manager: string, fields: readonly string[], annotations: readonly string[]): ManagedFieldsEntry {
  const set = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  return { manager, operation: 'Apply', fieldsV1: { 'f:spec': set(fields), 'f:metadata': { 'f:annotations': set(annotations) } } };
}
