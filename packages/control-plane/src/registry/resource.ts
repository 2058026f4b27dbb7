import type { KubeObject } from '@outrigger/core';
import type { CompiledSchema, FieldError, StructuralSchema } from '@outrigger/core/schema';
import type { Identity, Verb } from '../handle/contract.js';
import type { Draft } from './draft.js';
import type { RevisionNotes } from './revision-set.js';

/** The functions that decode the objects of a kind. */
export interface Decoding {
  readonly schema: () => CompiledSchema;
  /** Rewrites values as a Go server does when it decodes them. Throws for a value that such a server could not decode. */
  readonly normalize: (draft: Draft) => void;
}

/** One resource at one version, with all properties that the request pipeline uses. */
export interface Resource extends Decoding {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** The group, plural and version in which objects are stored. Two resources may serve the same objects (`events`). */
  readonly storage: { readonly group: string; readonly plural: string; readonly apiVersion: string };
  /** Whether this is the resource and version in which objects are stored. */
  readonly isStorageVersion: boolean;
  /** Whether objects of this resource are never stored, like reviews. */
  readonly isVirtual: boolean;
  readonly isCustom: boolean;
  /** The protobuf message of the kind, which says what Go does with empty fields. Custom kinds have none. */
  readonly message?: string;
  /** Whether the CRD is being deleted. If so, no new objects are accepted. */
  readonly isTerminating?: boolean;
  /** The warning for clients that use this version, if it is deprecated. */
  readonly deprecation?: string;
  /** The structural schema, for patches, server-side apply and OpenAPI. */
  readonly structural: () => StructuralSchema;
  readonly strategy: Strategy;
  /**
   * `toStorage` and `fromStorage` convert an object between this version and the stored one. They return their argument if no conversion is
   * necessary.
   */
  readonly toStorage: (object: KubeObject) => KubeObject;
  readonly fromStorage: (object: KubeObject) => KubeObject;
  /**
   * The store's revisions whose objects `fromStorage` is known to return unchanged. A list sends the JSON of such objects as it is stored.
   */
  readonly shownAsStored: RevisionNotes;
  /**
   * Present if a webhook converts the objects. `toStorage` and `fromStorage` then return only results that a method of `remote` has fetched
   * before the call.
   */
  readonly remote?: RemoteConversion;
  readonly columns: readonly Column[];
  /** The fields that selectors may use besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
}

/** Conversions that need a request to a webhook. They reject with the error to send to the client. */
export interface RemoteConversion {
  /**
   * Fetches, with one request to the webhook, the results of `fromStorage` for stored objects. With `missing`, the default, it skips
   * objects whose result was fetched before.
   */
  fetchShown(stored: readonly KubeObject[], which?: 'missing' | 'all'): Promise<void>;
  /** Fetches the result of `toStorage` for an object. */
  fetchStored(object: KubeObject): Promise<void>;
  convert(object: KubeObject, apiVersion: string): Promise<KubeObject>;
}

export interface Subresource {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly Verb[];
  /** Present if the subresource has a kind of its own, such as a Scale or an Eviction. */
  readonly decoding?: Decoding;
  /** The paths of the fields that the scale subresource exposes. */
  readonly scale?: ScalePaths;
}

export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The path of a label selector, which is a string or an object. */
  readonly labelSelector: readonly string[] | undefined;
}

/** A column of a Table, as kubectl prints it. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** The priority of the column. A column with a priority above 0 is shown only with `-o wide`. */
  readonly priority?: number;
  readonly value: (object: KubeObject, now: number) => string | number | boolean | null;
}

export interface StrategyContext {
  readonly now: string;
  readonly identity: Identity;
  /** Returns a uniformly distributed random number in [0, 1). */
  readonly random: () => number;
  /** Returns the newest stored state of another object, for rules that involve several objects. */
  readonly lookup: (group: string, plural: string, namespace: string, name: string) => KubeObject | undefined;
  /** Returns all stored objects of a resource. */
  readonly all: (group: string, plural: string) => readonly KubeObject[];
}

/**
 * The rules of a kind beyond its schema. Every member is optional. With an empty strategy, the kind has a spec and no rules, and updates
 * must include the resourceVersion.
 */
export interface Strategy {
  /** Whether `metadata.generation` counts changes to the desired state. */
  readonly hasGeneration?: boolean;
  /** Whether annotations are part of the desired state, as for a Deployment. A write to the status never changes the desired state. */
  readonly countsAnnotations?: boolean;
  /** The metadata that a write to the status cannot change. If absent, such a write can change labels and annotations. */
  readonly statusKeeps?: 'metadata' | readonly ('labels' | 'ownerReferences')[];
  /** Whether an update without a resourceVersion overwrites the object. Otherwise it is rejected. */
  readonly allowUnconditionalUpdate?: boolean;
  readonly allowCreateOnUpdate?: boolean;
  /** Whether a delete responds with the object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  readonly defaultPropagation?: 'Background' | 'Orphan';
  /** Validates a name, which by default must be a DNS subdomain. `isPrefix` is true for generateName. */
  readonly validateName?: (name: string, isPrefix: boolean) => readonly string[];
  /** Sets defaults that the schema does not contain. This function also runs on every update, so it must be idempotent. */
  readonly setDefaults?: (draft: Draft) => void;
  readonly prepareForCreate?: (draft: Draft, context: StrategyContext) => void;
  /** `subresource` is empty for the object itself. */
  readonly prepareForUpdate?: (draft: Draft, old: KubeObject, subresource: string, context: StrategyContext) => void;
  readonly validate?: (object: Draft, context: StrategyContext) => readonly FieldError[];
  /** Validates the spec of a new object, and of an update that changes the spec, so that the status of an invalid older object can be written. */
  readonly validateSpec?: (object: Draft) => readonly FieldError[];
  readonly validateCreate?: (object: Draft) => readonly FieldError[];
  readonly validateUpdate?: (object: Draft, old: KubeObject, subresource: string) => readonly FieldError[];
  readonly warnings?: (object: Draft, old: KubeObject | undefined) => readonly string[];
  /**
   * Changes the object at its first deletion request (a namespace becomes Terminating). A kind with this function is deleted without a
   * grace period, and the generation does not count the change.
   */
  readonly markDeleting?: (draft: Draft, context: StrategyContext) => void;
  /** Whether a deleted object without finalizers may be removed. A kind may keep the object longer. */
  readonly mayBeRemoved?: (object: KubeObject) => boolean;
  /** Returns the grace period for deleting an object. Without this function, there is none. */
  readonly gracePeriodSeconds?: (object: KubeObject, requested: number | undefined) => number;
}
