import type { Cancel, KubeObject } from '@outrigger/core';
import type { Convert } from '../../handle/contract.js';
import type { Store } from '../../store/contract.js';
import { storagePrefix } from '../../store/key.js';
import type { Registry } from '../registry.js';
import { DEFINITIONS, isEstablished, type Definition } from './definition.js';
import { customResources } from './resources.js';

/** Keeps what the registry serves in step with the definitions in the store, from now until cancelled. */
export function followDefinitions(store: Store, registry: Registry, convert: Convert | undefined): Cancel {
  const prefix = storagePrefix(DEFINITIONS);
  const serve = (object: KubeObject): void => {
    const definition = object as Definition;
    registry.setCustom(definition.metadata.name ?? '', isEstablished(definition) ? customResources(definition, convert) : []);
  };
  for (const { object } of store.range(prefix).entries) serve(object);
  return store.subscribe((change) => {
    if (!change.key.startsWith(prefix)) return;
    if (change.type === 'put') serve(change.object);
    else registry.setCustom(change.object.metadata.name ?? '', []);
  });
}
