import {
  ADDON_NAME_LABEL,
  ADDON_VERSION_LABEL,
  CONFIG_SPEC_HASH_ANNOTATION,
  RENDER_INPUTS_ANNOTATION,
  type ManifestCondition,
  type ManifestWork,
  WORK_INSTALL_NAMESPACE_ANNOTATION,
  WRITTEN_ANNOTATION,
  manifestWorks,
} from '@outrigger/api';
import { type Condition, type ConditionStatus, type JsonObject, type ManagedFieldsEntry, findCondition, parseTime } from '@outrigger/core';
import type { Intern, Projected, Resource } from '@outrigger/kube';
import { probesOf, workloadKey } from '../works/feedback.js';
import { manifestId } from '../works/identity.js';
import { type StandingJob, standingJobs } from '../works/standing-jobs.js';
import { type Treatment, exactContent, workContent, workTreatment } from '../works/written.js';
import { HUB, base, generationOf, isDeleting } from './base.js';

/** A ManifestWork as the rules see it. Of its manifests only identities and a digest are kept: the payload of a fleet is gigabytes. */
export interface WorkRecord extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  /** When its spec was last changed, by its managed fields; 0 where they do not say. */
  readonly changedAt: number;
  readonly addOnName: string;
  /** The addon-version label; empty where there is none. */
  readonly version: string;
  /** The config-spec-hash annotation as written. */
  readonly configSpecHash: string | undefined;
  readonly renderInputs: string | undefined;
  /** What we noted on it when we last wrote it. */
  readonly written: string | undefined;
  /** The namespace it was rendered for; absent on works somebody else made. */
  readonly installNamespace: string | undefined;
  /** Digest of the manifests and of where they say they go. */
  readonly content: string;
  /** The same digest as earlier managers took it; equal to `content` for most works. */
  readonly exactContent: string;
  /** Digest of how they are treated. */
  readonly treatment: string;
  readonly manifestIds: readonly string[];
  /** The only manifests kept whole: the pod template of a Job that stands cannot be changed. */
  readonly jobs: readonly StandingJob[];
  /** `resource/namespace/name` of the workloads whose health is asked for. */
  readonly probed: readonly string[];
  readonly ownerUid: string | undefined;
  readonly applied: WorkCondition | undefined;
  readonly available: WorkCondition | undefined;
  readonly workloads: readonly WorkloadFeedback[];
  /** Manifests the agent could not apply, with its words. */
  readonly failures: readonly { readonly manifest: string; readonly message: string }[];
}

export interface WorkCondition {
  readonly status: ConditionStatus;
  readonly observedGeneration: number;
  readonly message: string;
  readonly since: number;
}

/** What the agent reports of one manifest that has feedback rules. */
export interface WorkloadFeedback {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

export const works: Resource<WorkRecord> = {
  name: 'works',
  api: HUB,
  kind: manifestWorks,
  labelSelector: ADDON_NAME_LABEL,
  project(object, intern) {
    const work = object as ManifestWork;
    const { labels = {}, annotations = {}, ownerReferences = [] } = work.metadata;
    const manifests = work.spec.workload?.manifests ?? [];
    const namespace = annotations[WORK_INSTALL_NAMESPACE_ANNOTATION];
    const content = intern(workContent(manifests, namespace));
    const reported = work.status?.resourceStatus?.manifests ?? [];
    return {
      ...base(work, intern),
      generation: generationOf(work),
      isDeleting: isDeleting(work),
      changedAt: specWrittenAt(work.metadata.managedFields ?? []),
      addOnName: intern(labels[ADDON_NAME_LABEL] ?? ''),
      version: intern(labels[ADDON_VERSION_LABEL] ?? ''),
      configSpecHash: intern(annotations[CONFIG_SPEC_HASH_ANNOTATION]),
      renderInputs: intern(annotations[RENDER_INPUTS_ANNOTATION]),
      written: intern(annotations[WRITTEN_ANNOTATION]),
      installNamespace: intern(namespace),
      content,
      exactContent: intern(exactContent(manifests, namespace, content)),
      treatment: intern(workTreatment(work.spec as unknown as Treatment)),
      manifestIds: intern(manifests.map(manifestId)),
      jobs: intern(standingJobs(manifests as unknown as readonly JsonObject[])),
      probed: intern(probed(manifests as unknown as readonly JsonObject[])),
      ownerUid: ownerReferences.find(({ controller }) => controller)?.uid,
      applied: condition(findCondition(work.status?.conditions, 'Applied'), intern),
      available: condition(findCondition(work.status?.conditions, 'Available'), intern),
      workloads: intern(reported.flatMap(feedback)),
      failures: intern(reported.flatMap((manifest) => failure(manifest, generationOf(work)))),
    };
  },
  indexes: { addOn: ({ key, addOnName }) => [`${key.namespace ?? ''}/${addOnName}`] },
};

function specWrittenAt(entries: readonly ManagedFieldsEntry[]): number {
  const times = entries
    .filter(({ fieldsV1, subresource }) => !subresource && fieldsV1?.['f:spec'] !== undefined)
    .map(({ time }) => parseTime(time) ?? 0);
  return Math.max(0, ...times);
}

/** A workload scaled to zero has no health to ask for. */
function probed(manifests: readonly JsonObject[]): readonly string[] {
  return probesOf(manifests).flatMap(({ id, isIdle }) => (isIdle ? [] : [workloadKey(id)]));
}

function condition(found: Condition | undefined, intern: Intern): WorkCondition | undefined {
  return (
    found && {
      status: found.status,
      observedGeneration: found.observedGeneration ?? 0,
      message: intern(found.message),
      since: parseTime(found.lastTransitionTime) ?? 0,
    }
  );
}

function feedback({ resourceMeta, statusFeedback }: ManifestCondition): WorkloadFeedback[] {
  const values = statusFeedback?.values ?? [];
  if (values.length === 0) return [];
  const read = values.flatMap(({ name, fieldValue }) => {
    const value = fieldValue.integer ?? fieldValue.string ?? fieldValue.boolean;
    return value === undefined ? [] : [[name, value] as const];
  });
  const { group = '', resource = '', namespace = '', name = '' } = resourceMeta;
  return [{ group, resource, namespace, name, values: Object.fromEntries(read) }];
}

/** A manifest that the agent could not apply in this generation; without a generation of its own the condition is the work's. */
function failure({ resourceMeta, conditions }: ManifestCondition, generation: number): { manifest: string; message: string }[] {
  const applied = findCondition(conditions, 'Applied');
  if (applied?.status !== 'False' || (applied.observedGeneration ?? generation) !== generation) return [];
  const place = resourceMeta.namespace ? `${resourceMeta.namespace}/${resourceMeta.name ?? ''}` : (resourceMeta.name ?? '');
  return [{ manifest: `${resourceMeta.kind ?? resourceMeta.resource ?? 'manifest'} ${place}`, message: applied.message }];
}
