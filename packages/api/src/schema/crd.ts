import type { KubeObject } from '@outrigger/core';
import type { StructuralSchema } from '@outrigger/core/schema';
import { type KindDefinition, type KindVersion, type PrinterColumn, rootSchema } from './kind.js';

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources?: { readonly status: Readonly<Record<string, never>> };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
    readonly scope: 'Cluster' | 'Namespaced';
    readonly versions: readonly CrdVersion[];
    readonly conversion?: {
      readonly strategy: 'Webhook';
      readonly webhook: { readonly clientConfig: WebhookClientConfig; readonly conversionReviewVersions: readonly string[] };
    };
  };
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number };
  /** The PEM bundle that the API server trusts, in base64. */
  readonly caBundle?: string;
}

/**
 * The conversion of objects between versions that differ.
 * - `none`: the CRD names no converter, and only the stored version is served. The CRD then has no conversion field, so that applying it
 *   again keeps a webhook that a manager has added since.
 * - `in-process`: the API server calls `convertObject` itself, and never uses the address in the CRD.
 * - a client configuration: our `/convert` webhook.
 */
export type Conversion = 'none' | 'in-process' | WebhookClientConfig;

const IN_PROCESS: WebhookClientConfig = { service: { namespace: 'outrigger', name: 'in-process', path: '/convert' } };

export function customResourceDefinition(definition: KindDefinition, conversion: Conversion = 'none'): CustomResourceDefinition {
  const { group, kind, plural, shortNames, converted = false } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), ...(shortNames ? { shortNames } : {}) },
      scope: definition.namespaced ? 'Namespaced' : 'Cluster',
      ...(converted && conversion !== 'none' ? { conversion: conversionBy(conversion) } : {}),
      versions: definition.versions.map((version, index) => crdVersion(version, index === 0, !converted || conversion !== 'none')),
    },
  };
}

function crdVersion(version: KindVersion, storage: boolean, serveOthers: boolean): CrdVersion {
  const { columns } = version;
  return {
    name: version.version,
    served: storage || serveOthers,
    storage,
    schema: { openAPIV3Schema: rootSchema(version) },
    ...(version.status ? { subresources: { status: {} } } : {}),
    ...(columns ? { additionalPrinterColumns: columns } : {}),
  };
}

function conversionBy(conversion: Exclude<Conversion, 'none'>): NonNullable<CustomResourceDefinition['spec']['conversion']> {
  const clientConfig = conversion === 'in-process' ? IN_PROCESS : conversion;
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
}
