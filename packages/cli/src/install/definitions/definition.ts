import type { Json, JsonObject, Kind, KubeObject } from '@outrigger/core';

export const CUSTOM_RESOURCE_DEFINITIONS: Kind<Definition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export interface DefinitionVersion extends JsonObject {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: JsonObject };
  readonly additionalPrinterColumns?: readonly (JsonObject & { readonly name: string })[];
}

export interface DefinitionSpec extends JsonObject {
  readonly group: string;
  readonly scope: string;
  readonly names: JsonObject & {
    readonly kind: string;
    readonly plural: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly DefinitionVersion[];
  readonly conversion?: JsonObject & { readonly strategy?: string };
}

/** A CustomResourceDefinition as an API server returns it, installed by any program. */
export interface Definition extends KubeObject {
  readonly spec: DefinitionSpec;
  readonly status?: { readonly storedVersions?: readonly string[] } & Readonly<Record<string, Json>>;
}

export function isDefinition(object: KubeObject): object is Definition {
  return object.kind === 'CustomResourceDefinition';
}

/** Returns the kind that a CRD defines, in the version in which its objects are stored, so that no request needs a conversion. */
export function storedKind({ spec: { group, names, scope, versions } }: Definition): Kind {
  const version = versions.find(({ storage }) => storage)?.name ?? '';
  return { group, version, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' };
}
