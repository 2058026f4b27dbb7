import { NO_DEFAULT_CONFIG } from '../constants.js';
import type {
  AddOnConfig,
  ClusterManagementAddOn,
  ClusterManagementAddOnStatus,
  ClusterManagementAddOnV1beta1,
  ClusterManagementAddOnV1beta1Status,
  SupportedConfig,
} from '../generated/addon.js';
import { V1ALPHA1, V1BETA1 } from './versions.js';

/**
 * Converts a declaration to v1beta1. `spec.addOnConfiguration` is dropped, because v1beta1 has no such field and no controller reads it.
 */
export function managementAddOnToV1beta1(object: ClusterManagementAddOn): ClusterManagementAddOnV1beta1 {
  const { spec, status, ...rest } = object;
  const { addOnConfiguration: _, supportedConfigs, ...sameSpec } = spec;
  return {
    ...rest,
    apiVersion: V1BETA1,
    spec: { ...sameSpec, ...(supportedConfigs ? { defaultConfigs: supportedConfigs.map(toDefaultConfig) } : {}) },
    ...(status ? { status: statusToV1beta1(status) } : {}),
  };
}

export function managementAddOnToV1alpha1(object: ClusterManagementAddOnV1beta1): ClusterManagementAddOn {
  const { spec, status, ...rest } = object;
  const { defaultConfigs, ...sameSpec } = spec;
  return {
    ...rest,
    apiVersion: V1ALPHA1,
    spec: { ...sameSpec, ...(defaultConfigs ? { supportedConfigs: defaultConfigs.map(toSupportedConfig) } : {}) },
    ...(status ? { status: statusToV1alpha1(status) } : {}),
  };
}

function toDefaultConfig({ defaultConfig, ...kind }: SupportedConfig): AddOnConfig {
  return { ...kind, ...(defaultConfig ?? { name: NO_DEFAULT_CONFIG }) };
}

function toSupportedConfig({ name, namespace, ...kind }: AddOnConfig): SupportedConfig {
  if (name === '' || name === NO_DEFAULT_CONFIG) return kind;
  return { ...kind, defaultConfig: namespace === undefined ? { name } : { namespace, name } };
}

function statusToV1beta1({ defaultconfigReferences, ...same }: ClusterManagementAddOnStatus): ClusterManagementAddOnV1beta1Status {
  return { ...same, ...(defaultconfigReferences ? { defaultConfigReferences: defaultconfigReferences } : {}) };
}

function statusToV1alpha1({ defaultConfigReferences, ...same }: ClusterManagementAddOnV1beta1Status): ClusterManagementAddOnStatus {
  return { ...same, ...(defaultConfigReferences ? { defaultconfigReferences: defaultConfigReferences } : {}) };
}
