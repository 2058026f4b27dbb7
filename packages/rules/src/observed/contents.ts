import { CONTENT_OF_ANNOTATION, CONTENT_VERSION_ANNOTATION, type ControllerRevision } from '@outrigger/api';
import { type KubeObject, type JsonObject, type OwnerReference, parseTime, type Intern, type Projected } from '@outrigger/core';
import { base } from './base.js';

/** The content of one config object. It is stored under its digest, so that a rollback restores the exact bytes. */
export interface ContentProjection extends Projected {
  readonly specHash: string;
  readonly createdAt: number;
  /** The input of the digest: the object without apiVersion, kind, metadata and status. */
  readonly content: JsonObject;
  readonly owners: readonly OwnerReference[];
  /** `group/resource/namespace/name` of the configs with this content that add-ons reference in their own specs. */
  readonly contentOf: readonly string[];
  /** The version, if the content is a template. */
  readonly version: string | undefined;
}

export const CONTENT_LABEL = 'outrigger.dev/content';

export function projectContent(object: KubeObject, intern: Intern): ContentProjection {
  const revision = object as ControllerRevision;
  return {
    specHash: revision.metadata.annotations?.[CONTENT_LABEL] ?? '',
    createdAt: parseTime(revision.metadata.creationTimestamp) ?? 0,
    content: revision.data ?? {},
    owners: revision.metadata.ownerReferences ?? [],
    version: revision.metadata.annotations?.[CONTENT_VERSION_ANNOTATION],
    contentOf: (revision.metadata.annotations?.[CONTENT_OF_ANNOTATION] ?? '').split(' ').filter((ref) => ref !== ''),
    ...base(revision, intern),
  };
}
