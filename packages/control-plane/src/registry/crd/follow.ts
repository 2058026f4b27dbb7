import { type Cancel, deepEqual, type KubeObject } from '@outrigger/core';
import type { Store } from '../../store/contract.js';
import { storagePrefix } from '../../store/key.js';
import type { Registry } from '../registry.js';
import type { Converters } from './conversion.js';
import { DEFINITIONS, isEstablished, type Definition } from './definition.js';
import { customResources } from './resources.js';

export interface FollowOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly converters: Converters;
  /** Called when the resources of a CRD have been replaced or removed. */
  readonly onReplaced: (resource: { readonly group: string; readonly plural: string }) => void;
}

interface Served {
  readonly fingerprint: string;
  readonly spec: Definition['spec'];
}

/** Keeps the resources of the registry in sync with the CRDs in the store until cancelled. */
export function followDefinitions({ store, registry, converters, onReplaced }: FollowOptions): Cancel {
  const prefix = storagePrefix(DEFINITIONS);
  const served = new Map<string, Served>();

  const serve = (object: KubeObject, isGone: boolean): void => {
    const definition = object as Definition;
    const { name = '' } = definition.metadata;
    const before = served.get(name);
    const next = isGone || !isEstablished(definition) ? undefined : { fingerprint: fingerprint(definition), spec: definition.spec };
    if (next?.fingerprint === before?.fingerprint) return;
    if (next) served.set(name, next);
    else served.delete(name);
    registry.setCustom(name, next ? customResources(definition, converters) : []);
    // Compare only the spec: a CRD that is being deleted is served until all its objects are deleted, so that watchers see each deletion.
    if (before && !deepEqual(before.spec, next?.spec)) onReplaced({ group: definition.spec.group, plural: definition.spec.names.plural });
  };

  for (const { object } of store.range(prefix).entries) serve(object, false);
  return store.subscribe(({ key, type, object }) => {
    if (key.startsWith(prefix)) serve(object, type === 'delete');
  });
}

/**
 * Returns a value that changes whenever the served resources change, so that a change to the status alone does not recompile the schemas.
 */
function fingerprint({ metadata }: Definition): string {
  return `${metadata.uid} ${metadata.generation} ${metadata.deletionTimestamp ?? ''}`;
}
