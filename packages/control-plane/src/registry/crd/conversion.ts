import { ApiError, deepFreeze, type KubeObject } from '@outrigger/core';
import type { CompiledSchema } from '@outrigger/core/schema';
import type { Convert } from '../../handle/contract.js';
import type { Caller } from '../../webhooks/call.js';
import { convertByWebhook, keepIdentity } from '../../webhooks/conversion.js';
import type { Resource } from '../resource.js';
import { NO_REVISION, RevisionSet } from '../revision-set.js';
import type { Definition } from './definition.js';

/** The two ways to convert objects whose CRD names a conversion webhook: by a function in this process, or by the webhook. */
export interface Converters {
  readonly convert: Convert | undefined;
  /** Whether `convert` converts the objects of this CRD. */
  readonly convertsInProcess: (definition: string) => boolean;
  readonly caller: Caller | undefined;
}

export interface ConversionOptions {
  readonly definition: Definition;
  /** The apiVersion of the version that is served. */
  readonly apiVersion: string;
  readonly schema: () => CompiledSchema;
  readonly storedSchema: () => CompiledSchema;
  readonly converters: Converters;
}

type Conversion = Pick<Resource, 'toStorage' | 'fromStorage' | 'shownAsStored' | 'remote'>;
type Change = (object: KubeObject, apiVersion: string) => KubeObject;

/**
 * Returns the conversion between the stored and the served version. Objects are pruned and defaulted again when they are read, because the
 * CRD may have lost fields and gained defaults since they were written, and because a version may lack fields of the stored one. The result
 * is cached as long as the stored object is in memory.
 */
export function conversionOf(options: ConversionOptions): Conversion {
  const { definition, converters } = options;
  const { spec, metadata } = definition;
  const { convert, caller } = converters;
  if (spec.conversion?.strategy !== 'Webhook') return inProcess(options, (object, apiVersion) => ({ ...object, apiVersion }));
  if (convert && converters.convertsInProcess(metadata.name ?? '')) {
    return inProcess(options, (object, apiVersion) => keepIdentity(convert(object, apiVersion), object));
  }
  if (caller) return byWebhook(options, caller);
  return inProcess(options, (object, apiVersion) => {
    const what = `conversion of ${metadata.name} from ${object.apiVersion} to ${apiVersion}`;
    throw new ApiError('InternalError', `${what} is not available in this server`);
  });
}

function inProcess({ definition, apiVersion, schema, storedSchema }: ConversionOptions, change: Change): Conversion {
  const stored = storedVersion(definition);
  const unlessSame: Change = (object, to) => (object.apiVersion === to ? object : change(object, to));
  const shown = new WeakMap<KubeObject, KubeObject>();
  return {
    shownAsStored: new RevisionSet(),
    toStorage: (object) => (object.apiVersion === stored ? object : declared(storedSchema(), change(object, stored))),
    fromStorage(object) {
      const known = shown.get(object);
      if (known) return known;
      const converted = decoded(schema(), unlessSame(object, apiVersion));
      // An unchanged object need not be frozen here: either the store has frozen it, or only this caller has it.
      const result = converted === object ? object : deepFreeze(converted);
      shown.set(object, result);
      return result;
    },
  };
}

/**
 * Returns a conversion by webhook. `toStorage` and `fromStorage` only look up results that were fetched before, in a cache whose keys are
 * the source objects. The webhook receives the stored object with its defaults; the result is not defaulted again.
 */
function byWebhook({ definition, apiVersion, schema, storedSchema }: ConversionOptions, caller: Caller): Conversion {
  const stored = storedVersion(definition);
  const shown = new Fetched();
  const stores = new Fetched();
  const webhook = definition.spec.conversion?.webhook ?? { clientConfig: {}, conversionReviewVersions: [] };
  const ask = (objects: readonly KubeObject[], to: string): Promise<readonly KubeObject[]> =>
    convertByWebhook(caller, webhook, objects, to);
  const show = async (objects: readonly KubeObject[]): Promise<readonly KubeObject[]> => {
    if (apiVersion === stored) return objects.map((object) => deepFreeze(decoded(schema(), object)));
    const converted = await ask(
      objects.map((object) => decoded(storedSchema(), object)),
      apiVersion,
    );
    return converted.map((object) => deepFreeze(declared(schema(), object)));
  };
  const store = async (objects: readonly KubeObject[]): Promise<readonly KubeObject[]> =>
    (await ask(objects, stored)).map((object) => declared(storedSchema(), object));
  return {
    shownAsStored: NO_REVISION,
    toStorage: (object) => (object.apiVersion === stored ? object : stores.of(object)),
    fromStorage: (object) => shown.of(object),
    remote: {
      fetchShown: (objects, which = 'missing') => shown.fetch(which === 'all' ? objects : shown.missing(objects), show),
      fetchStored: async (object) => {
        if (object.apiVersion !== stored) await stores.fetch(stores.missing([object]), store);
      },
      async convert(object, to) {
        const [converted] = object.apiVersion === to ? [object] : await ask([object], to);
        return converted ?? object;
      },
    },
  };
}

/** Returns an object as a schema decodes it: without fields that the schema does not declare, and with its defaults. */
function decoded(schema: CompiledSchema, object: KubeObject): KubeObject {
  return schema.defaulted(declared(schema, object));
}

/**
 * Returns an object without the fields that a schema does not declare, or the object itself if it has none. Its metadata stays as it is,
 * because pruning drops zeros, such as the grace period of an object that is being deleted.
 */
function declared(schema: CompiledSchema, object: KubeObject): KubeObject {
  const { value, unknownFields } = schema.pruned(object);
  return unknownFields.length === 0 ? object : { ...value, metadata: object.metadata };
}

/** A cache of converted objects, keyed by the source object. Callers that need the same conversion at the same time share one request. */
class Fetched {
  readonly #known = new WeakMap<KubeObject, KubeObject>();
  readonly #pending = new WeakMap<KubeObject, Promise<void>>();

  of(object: KubeObject): KubeObject {
    const found = this.#known.get(object);
    if (!found) throw new Error(`the conversion of ${object.kind} "${object.metadata.name}" was not fetched`);
    return found;
  }

  missing(objects: readonly KubeObject[]): readonly KubeObject[] {
    return objects.filter((object) => !this.#known.has(object));
  }

  async fetch(wanted: readonly KubeObject[], ask: (objects: readonly KubeObject[]) => Promise<readonly KubeObject[]>): Promise<void> {
    const fresh = wanted.filter((object) => !this.#pending.has(object));
    if (fresh.length > 0) {
      const fetching = ask(fresh).then((converted) => {
        for (const [i, object] of converted.entries()) this.#known.set(fresh[i] as KubeObject, object);
      });
      for (const object of fresh) this.#pending.set(object, fetching);
    }
    try {
      await Promise.all(wanted.flatMap((object) => this.#pending.get(object) ?? []));
    } finally {
      for (const object of fresh) this.#pending.delete(object);
    }
  }
}

function storedVersion({ spec }: Definition): string {
  return `${spec.group}/${spec.versions.find(({ storage }) => storage)?.name ?? ''}`;
}
