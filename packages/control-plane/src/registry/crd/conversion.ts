import { ApiError, deepFreeze, type KubeObject } from '@outrigger/core';
import type { CompiledSchema } from '@outrigger/core/schema';
import type { Convert } from '../../handle/contract.js';
import type { Resource } from '../resource.js';
import type { Definition } from './definition.js';

/**
 * Between the stored version and the served one. What is read is defaulted again: a definition may have gained defaults since the
 * object was written. The result is remembered as long as the stored object is.
 */
export function conversionOf(
  { spec, metadata }: Definition,
  apiVersion: string,
  schema: () => CompiledSchema,
  convert: Convert | undefined,
): Pick<Resource, 'toStorage' | 'fromStorage'> {
  const stored = `${spec.group}/${spec.versions.find(({ storage }) => storage)?.name ?? ''}`;
  const isConverted = spec.conversion?.strategy === 'Webhook';
  const change = (object: KubeObject, to: string): KubeObject => {
    if (object.apiVersion === to) return object;
    if (!isConverted) return { ...object, apiVersion: to };
    if (!convert)
      throw new ApiError(
        'InternalError',
        `conversion of ${metadata.name} from ${object.apiVersion} to ${to} is not available in this server`,
      );
    return keepIdentity(convert(object, to), object);
  };
  const shown = new WeakMap<KubeObject, KubeObject>();
  return {
    toStorage: (object) => change(object, stored),
    fromStorage(object) {
      const known = shown.get(object);
      if (known) return known;
      const result = deepFreeze(schema().defaulted(change(object, apiVersion)));
      shown.set(object, result);
      return result;
    },
  };
}

/** A conversion changes fields, never what object it is. */
function keepIdentity(converted: KubeObject, original: KubeObject): KubeObject {
  const { labels, annotations } = converted.metadata;
  const { labels: _, annotations: __, ...metadata } = original.metadata;
  return { ...converted, metadata: { ...metadata, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) } };
}
