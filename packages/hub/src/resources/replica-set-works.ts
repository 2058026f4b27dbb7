import {
  type ManifestWork,
  type ManifestWorkSpec,
  REPLICA_SET_LABEL,
  REPLICA_SET_PLACEMENT_LABEL,
  TEMPLATE_DIGEST_ANNOTATION,
  TEMPLATE_WRITTEN_ANNOTATION,
  manifestWorks,
} from '@outrigger/api';
import { type Condition, parseTime, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { base, generationOf, isDeleting } from '@outrigger/rules/observed';
import { HUB } from './base.js';

/** A ManifestWork of a ManifestWorkReplicaSet. */
export interface ReplicaSetWorkProjection extends Projected {
  readonly isDeleting: boolean;
  readonly generation: number;
  /** `<namespace>.<name>` of the ManifestWorkReplicaSet. */
  readonly set: string;
  /** Name of the Placement that selected the cluster. */
  readonly placement: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The works of one set have equal specs, so the cache stores the spec once. */
  readonly spec: ManifestWorkSpec;
  /** Digest of the template that the hub wrote; undefined for a work from another controller. */
  readonly digest: string | undefined;
  /** When the hub last wrote the spec, in milliseconds since the epoch. */
  readonly writtenAt: number | undefined;
  /** The conditions that the rollout uses. */
  readonly conditions: readonly Condition[];
}

const CONDITIONS: readonly string[] = ['Applied', 'Available', 'Progressing', 'Degraded'];

export const replicaSetWorks: Resource<ReplicaSetWorkProjection, 'set'> = {
  name: 'replica-set-works',
  api: HUB,
  kind: manifestWorks,
  labelSelector: REPLICA_SET_LABEL,
  project(object, intern) {
    const { metadata, spec, status } = object as ManifestWork;
    const { labels = {}, annotations = {} } = metadata;
    const writtenAt = annotations[TEMPLATE_WRITTEN_ANNOTATION];
    return {
      isDeleting: isDeleting(object),
      generation: generationOf(object),
      set: intern(labels[REPLICA_SET_LABEL] ?? ''),
      placement: intern(labels[REPLICA_SET_PLACEMENT_LABEL] ?? ''),
      labels: intern(labels),
      spec: intern(spec),
      digest: intern(annotations[TEMPLATE_DIGEST_ANNOTATION]),
      writtenAt: writtenAt === undefined ? undefined : parseTime(writtenAt),
      conditions: (status?.conditions ?? []).filter(({ type }) => CONDITIONS.includes(type)),
      ...base(object, intern),
    };
  },
  indexes: { set: ({ set }) => [set] },
};
