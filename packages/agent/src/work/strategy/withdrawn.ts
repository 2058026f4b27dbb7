import { WORK_FIELD_MANAGER } from '@outrigger/api';
import { type JsonObject, type KubeObject, type OwnerReference, parseApiVersion, objectOrEmpty } from '@outrigger/core';
import { isAppliedWork } from '../ownership/owners.js';
import { type FieldOwners, UNOWNED, isOnlyOurs, ownersAt, ownersOf, ownersOfElement } from './field-owners.js';
import type { Situation } from './situation.js';

type Texts = Readonly<Record<string, string>>;

/** The metadata that an earlier version of the manifest set and the current version does not. The agent removes it. */
export interface Withdrawn {
  readonly labels: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
  readonly finalizers: ReadonlySet<string>;
  /** The uids of the owners. */
  readonly owners: ReadonlySet<string>;
  /** The members of `spec` that can change on kinds that are otherwise immutable. */
  readonly specFields: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING_WITHDRAWN: Withdrawn = { labels: NONE, annotations: NONE, finalizers: NONE, owners: NONE, specFields: NONE };

/**
 * Fields of `spec` that can change on kinds that are otherwise immutable, with the server's defaults. If a manifest no longer contains such
 * a field, the agent resets the field to its default; it keeps all other fields of these kinds.
 */
const CHANGEABLE: Readonly<Record<string, JsonObject>> = {
  'batch/Job': { activeDeadlineSeconds: null, parallelism: 1, suspend: false, ttlSecondsAfterFinished: null },
};

/**
 * Returns the fields that the agent set for an earlier version of this work, according to the managedFields of the live object, so that
 * values that the work no longer sets can be removed. Fields of other managers stay. Returns no fields if the agent only repairs drift, or
 * if two works share the object, because both use the same field manager.
 */
export function withdrawableOwners({ live, owner, isWritten }: Situation): FieldOwners {
  if (isWritten || live.state === 'absent' || isShared(live.object, owner)) return UNOWNED;
  return ownersOf(live.object, WORK_FIELD_MANAGER);
}

/** Returns the metadata to remove with the next write. */
export function withdrawn(situation: Situation): Withdrawn {
  const { manifest, live } = situation;
  const owners = withdrawableOwners(situation);
  if (live.state === 'absent' || owners.ours.length === 0) return NOTHING_WITHDRAWN;
  const metadata = ownersAt(owners, 'metadata');
  const { labels, annotations, finalizers = [], ownerReferences = [] } = live.object.metadata;
  return {
    labels: textsWithdrawn(labels, manifest.metadata.labels, ownersAt(metadata, 'labels')),
    annotations: textsWithdrawn(annotations, manifest.metadata.annotations, ownersAt(metadata, 'annotations')),
    finalizers: elementsWithdrawn(finalizers, manifest.metadata.finalizers ?? [], ownersAt(metadata, 'finalizers'), (it) => it),
    owners: elementsWithdrawn(
      ownerReferences.filter((reference) => !isAppliedWork(reference)),
      manifest.metadata.ownerReferences ?? [],
      ownersAt(metadata, 'ownerReferences'),
      ({ uid }) => uid,
    ),
    specFields: specWithdrawn(manifest, live.object, ownersAt(owners, 'spec')),
  };
}

export function isAnythingWithdrawn(parts: Withdrawn): boolean {
  return Object.values(parts).some((names: ReadonlySet<string>) => names.size > 0);
}

function isShared({ metadata }: KubeObject, { uid }: OwnerReference): boolean {
  return (metadata.ownerReferences ?? []).some((reference) => isAppliedWork(reference) && reference.uid !== uid);
}

function textsWithdrawn(live: Texts | undefined, wanted: Texts | undefined, owners: FieldOwners): ReadonlySet<string> {
  const isWanted = (key: string): boolean => wanted !== undefined && Object.hasOwn(wanted, key);
  return new Set(Object.keys(live ?? {}).filter((key) => !isWanted(key) && isOnlyOurs(ownersAt(owners, key))));
}

function elementsWithdrawn<T>(
  live: readonly T[],
  wanted: readonly T[],
  owners: FieldOwners,
  idOf: (element: T) => string,
): ReadonlySet<string> {
  const kept = new Set(wanted.map(idOf));
  return new Set(live.filter((element) => !kept.has(idOf(element)) && isOnlyOurs(ownersOfElement(owners, element))).map(idOf));
}

function specWithdrawn(manifest: KubeObject, live: KubeObject, owners: FieldOwners): ReadonlySet<string> {
  const changeable = CHANGEABLE[`${parseApiVersion(manifest.apiVersion).group}/${manifest.kind}`] ?? {};
  const wanted = specOf(manifest);
  const actual = specOf(live);
  const names = Object.keys(changeable).filter((name) => wanted[name] === undefined && (actual[name] ?? null) !== changeable[name]);
  return new Set(names.filter((name) => isOnlyOurs(ownersAt(owners, name))));
}

function specOf(object: KubeObject): JsonObject {
  const { spec } = object as KubeObject & { readonly spec?: unknown };
  return objectOrEmpty(spec);
}
