import type { Kind, KubeObject } from '@outrigger/core';
import type { StructuralSchema } from '@outrigger/core/schema';
import type { ConversionWebhook } from '../../webhooks/conversion.js';

/** A CustomResourceDefinition, with the fields that are needed to serve it. */
export interface Definition extends KubeObject {
  readonly spec: DefinitionSpec;
  readonly status?: DefinitionStatus;
}

export interface DefinitionSpec {
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: DefinitionNames;
  readonly versions: readonly DefinitionVersion[];
  readonly conversion?: { readonly strategy: 'None' | 'Webhook'; readonly webhook?: ConversionWebhook };
  readonly preserveUnknownFields?: boolean;
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

export interface DefinitionStatus {
  readonly conditions?: readonly DefinitionCondition[];
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[];
}

export interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export const DEFINITIONS: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** The finalizer of CRDs. A CRD that is being deleted keeps it until all objects of the CRD are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export function isEstablished({ status }: Definition): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
}
