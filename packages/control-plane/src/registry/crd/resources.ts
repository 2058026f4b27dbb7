import { apiVersionOf, type KubeObject, lazy } from '@outrigger/core';
import type { StructuralSchema } from '@outrigger/core/schema';
import type { Verb } from '../../handle/contract.js';
import { SCALE_DECODING } from '../decoding.js';
import type { Resource, Subresource } from '../resource.js';
import { readPath } from '../selectable-fields.js';
import { byPriority } from '../version-priority.js';
import { customColumns } from './columns.js';
import { conversionOf, type Converters } from './conversion.js';
import type { Definition, DefinitionSpec, DefinitionVersion } from './definition.js';
import { compiledSchema, sharedSchema } from './schemas.js';

const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const STATUS_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

/** Returns one resource per served version of an established CRD. */
export function customResources(definition: Definition, converters: Converters): Resource[] {
  return definition.spec.versions.filter(({ served }) => served).map((version) => customResource(definition, version, converters));
}

function customResource(definition: Definition, version: DefinitionVersion, converters: Converters): Resource {
  const { spec, metadata } = definition;
  const { names, group } = spec;
  const apiVersion = apiVersionOf({ group, version: version.name });
  const storage = spec.versions.find((other) => other.storage) ?? version;
  const structural = lazy((): StructuralSchema => structuralOf(definition, version));
  const schema = lazy(() => compiledSchema(structural()));
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === 'Namespaced',
    verbs: VERBS,
    subresources: subresourcesOf(group, version, names.kind),
    storage: { group, plural: names.plural, apiVersion: apiVersionOf({ group, version: storage.name }) },
    isStorageVersion: storage === version,
    isVirtual: false,
    isCustom: true,
    isTerminating: metadata.deletionTimestamp !== undefined,
    ...(version.deprecated ? { deprecation: version.deprecationWarning ?? deprecation(spec, version) } : {}),
    structural,
    schema,
    normalize: () => undefined,
    strategy: {},
    ...conversionOf({ definition, apiVersion, schema, storedSchema: () => compiledSchema(structuralOf(definition, storage)), converters }),
    columns: customColumns(version),
    selectableFields: new Map((version.selectableFields ?? []).map(({ jsonPath }) => selectable(jsonPath))),
  };
}

/** Returns the warning about a deprecated version. It names the newest version that is not deprecated, if that is newer. */
function deprecation({ group, names, versions }: DefinitionSpec, { name }: DefinitionVersion): string {
  const [newest] = versions
    .filter(({ served, deprecated }) => served && !deprecated)
    .map((version) => version.name)
    .filter((other) => byPriority(other, name) < 0)
    .sort(byPriority);
  const kindOf = (version: string): string => `${apiVersionOf({ group, version })} ${names.kind}`;
  return `${kindOf(name)} is deprecated${newest === undefined ? '' : `; use ${kindOf(newest)}`}`;
}

function structuralOf({ spec }: Definition, { schema }: DefinitionVersion): StructuralSchema {
  const declared = schema?.openAPIV3Schema ?? { type: 'object' };
  return sharedSchema(spec.preserveUnknownFields ? { ...declared, 'x-kubernetes-preserve-unknown-fields': true } : declared);
}

function subresourcesOf(group: string, { name, subresources }: DefinitionVersion, kind: string): ReadonlyMap<string, Subresource> {
  const result = new Map<string, Subresource>();
  if (subresources?.status) result.set('status', { kind, group, version: name, verbs: STATUS_VERBS });
  if (subresources?.scale) {
    const { specReplicasPath, statusReplicasPath, labelSelectorPath } = subresources.scale;
    const scale = {
      specReplicas: steps(specReplicasPath),
      statusReplicas: steps(statusReplicasPath),
      labelSelector: labelSelectorPath === undefined ? undefined : steps(labelSelectorPath),
    };
    result.set('scale', { kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: STATUS_VERBS, decoding: SCALE_DECODING, scale });
  }
  return result;
}

function selectable(jsonPath: string): readonly [string, (object: KubeObject) => string] {
  const path = steps(jsonPath);
  return [path.join('.'), readPath(path)];
}

/** Splits a path that contains only member names, such as `.spec.replicas`. */
function steps(jsonPath: string): readonly string[] {
  return jsonPath.split('.').filter((step) => step !== '');
}
