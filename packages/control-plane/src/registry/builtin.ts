import { apiVersionOf, type KubeObject, lazy } from '@outrigger/core';
import type { Verb } from '../handle/contract.js';
import { messageOf } from '../protobuf/kinds.js';
import { RESOURCES } from '../schemas/generated/resources.js';
import type { BuiltinResource, BuiltinSubresource } from './builtin-resource.js';
import { builtinSchema } from './builtin-schemas.js';
import { decodingOf, SCALE_DECODING } from './decoding.js';
import { columnsFor } from './columns/index.js';
import { autoscalerFromStorage, autoscalerToStorage } from './autoscalers.js';
import { eventFromStorage, eventToStorage } from './events.js';
import type { Resource, ScalePaths, Subresource } from './resource.js';
import { EVERY_REVISION, NO_REVISION } from './revision-set.js';
import { selectableFieldsOf } from './selectable-fields.js';
import { strategyFor } from './strategies/index.js';

const SCALE: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  labelSelector: ['spec', 'selector'],
};

/** The resources whose objects are stored in another version or another group. */
const VIEWS: Readonly<Record<string, Pick<Resource, 'storage' | 'toStorage' | 'fromStorage'>>> = {
  'events.k8s.io/v1/events': {
    storage: { group: '', plural: 'events', apiVersion: 'v1' },
    toStorage: eventToStorage,
    fromStorage: eventFromStorage,
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    storage: { group: 'autoscaling', plural: 'horizontalpodautoscalers', apiVersion: 'autoscaling/v2' },
    toStorage: autoscalerToStorage,
    fromStorage: autoscalerFromStorage,
  },
};

/** The warnings about built-in kinds that are deprecated as a whole, by resource. */
const DEPRECATIONS: Readonly<Record<string, string>> = {
  'v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

/** Returns every built-in resource, in discovery order. All servers in the process share them. */
export const builtinResources: () => readonly Resource[] = lazy(() => RESOURCES.map(builtinResource));

function builtinResource(resource: BuiltinResource): Resource {
  const { group, version, kind, plural } = resource;
  const structural = lazy(() => builtinSchema(group, version, kind));
  const view = VIEWS[`${group}/${version}/${plural}`];
  const deprecation = DEPRECATIONS[`${apiVersionOf(resource)}/${plural}`];
  const message = messageOf(apiVersionOf(resource), kind);
  return {
    ...resource,
    listKind: `${kind}List`,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs as readonly Verb[],
    subresources: new Map(Object.entries(resource.subresources).map(([name, sub]) => [name, subresource(name, sub, resource)])),
    storage: view?.storage ?? { group, plural, apiVersion: apiVersionOf(resource) },
    isStorageVersion: view === undefined,
    isVirtual: resource.verbs.length === 1 && resource.verbs[0] === 'create',
    isCustom: false,
    ...(message === undefined ? {} : { message }),
    ...(deprecation === undefined ? {} : { deprecation }),
    structural,
    ...decodingOf(structural),
    strategy: strategyFor(group, plural, version),
    toStorage: view?.toStorage ?? same,
    fromStorage: view?.fromStorage ?? same,
    shownAsStored: view ? NO_REVISION : EVERY_REVISION,
    columns: columnsFor(group, plural),
    selectableFields: selectableFieldsOf(group, plural),
  };
}

function subresource(name: string, { kind, verbs, group, version }: BuiltinSubresource, parent: BuiltinResource): Subresource {
  const own = { kind, group: group ?? parent.group, version: version ?? parent.version };
  return {
    ...own,
    verbs: verbs as readonly Verb[],
    ...(kind === parent.kind ? {} : { decoding: decodingOf(() => builtinSchema(own.group, own.version, kind)) }),
    ...(name === 'scale' ? { scale: SCALE, decoding: SCALE_DECODING } : {}),
  };
}

function same(object: KubeObject): KubeObject {
  return object;
}
