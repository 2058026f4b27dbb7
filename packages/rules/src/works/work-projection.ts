import {
  ADDON_NAME_LABEL,
  ADDON_VERSION_LABEL,
  CONFIG_SPEC_HASH_ANNOTATION,
  RENDER_INPUTS_ANNOTATION,
  type ManifestCondition,
  type ManifestConfig,
  type ManifestWork,
  WORK_INSTALL_NAMESPACE_ANNOTATION,
  WRITTEN_ANNOTATION,
} from '@outrigger/api';
import type { Condition, ConditionStatus, Intern, JsonObject, KubeObject, ManagedFieldsEntry, Projected } from '@outrigger/core';
import { asJson, findCondition, memoize, parseTime } from '@outrigger/core';
import { probesOf, workloadKey } from './feedback.js';
import { asksFor } from './manifest-configs.js';
import { manifestId } from './identity.js';
import { type ExistingJob, existingJobs } from './existing-jobs.js';
import { type Treatment, workDigests, workTreatment } from './written.js';
import { base, generationOf, isDeleting } from '../observed/base.js';

/**
 * The fields of a ManifestWork that the rules use. Only the ids and digests of its manifests are kept, because the manifests of a fleet
 * take gigabytes.
 */
export interface WorkProjection extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  /** The time of the last change of the work's spec, according to its managed fields; 0 if the managed fields do not contain this time. */
  readonly changedAt: number;
  readonly addOnName: string;
  /** The addon-version label; empty if there is none. */
  readonly version: string;
  /** The value of the config-spec-hash annotation. */
  readonly configSpecHash: string | undefined;
  readonly renderInputs: string | undefined;
  /** The annotation that the manager set when it last wrote the work; see `WrittenNote`. */
  readonly written: string | undefined;
  /** The namespace for which the work was rendered; undefined for works of another manager. */
  readonly installNamespace: string | undefined;
  /** Digest of the manifests and of the namespace they were rendered for. */
  readonly content: string;
  /** The digest that earlier versions of the manager computed for the same data; equal to `content` for most works. */
  readonly exactContent: string;
  /** Digest of the work's options for its manifests: manifestConfigs, deleteOption and executor. */
  readonly treatment: string;
  readonly manifestIds: readonly string[];
  /** The complete pod templates of Jobs. They are needed because the pod template of an existing Job cannot be changed. */
  readonly jobs: readonly ExistingJob[];
  /** `resource/namespace/name` of the workloads that are probed. */
  readonly probed: readonly string[];
  readonly ownerUid: string | undefined;
  readonly applied: WorkCondition | undefined;
  readonly available: WorkCondition | undefined;
  readonly workloads: readonly WorkloadFeedback[];
  /** Manifests that the agent could not apply, with its messages. */
  readonly failures: readonly { readonly manifest: string; readonly message: string }[];
}

export interface WorkCondition {
  readonly status: ConditionStatus;
  readonly observedGeneration: number;
  readonly message: string;
  readonly since: number;
}

/** The feedback that the agent reports on one manifest. */
export interface WorkloadFeedback {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

export function projectWork(object: KubeObject, intern: Intern): WorkProjection {
  const work = object as ManifestWork;
  const { labels = {}, annotations = {}, ownerReferences = [] } = work.metadata;
  const { manifestConfigs, deleteOption, executor } = work.spec;
  const manifests = work.spec.workload?.manifests ?? [];
  const namespace = annotations[WORK_INSTALL_NAMESPACE_ANNOTATION];
  const { content, exactContent } = workDigests(manifests, namespace);
  const reported = work.status?.resourceStatus?.manifests ?? [];
  return {
    generation: generationOf(work),
    isDeleting: isDeleting(work),
    changedAt: specWrittenAt(work.metadata.managedFields ?? []),
    addOnName: intern(labels[ADDON_NAME_LABEL] ?? ''),
    version: intern(labels[ADDON_VERSION_LABEL] ?? ''),
    configSpecHash: intern(annotations[CONFIG_SPEC_HASH_ANNOTATION]),
    renderInputs: intern(annotations[RENDER_INPUTS_ANNOTATION]),
    written: intern(annotations[WRITTEN_ANNOTATION]),
    installNamespace: intern(namespace),
    content: intern(content),
    exactContent: intern(exactContent),
    treatment: treatmentOf(intern({ manifestConfigs: manifestConfigs ?? [], deleteOption, executor }) as unknown as Treatment),
    manifestIds: intern(manifests.map(manifestId)),
    jobs: intern(existingJobs(asJson(manifests))),
    probed: intern(probed(asJson(manifests), manifestConfigs ?? [])),
    ownerUid: ownerReferences.find(({ controller }) => controller)?.uid,
    applied: condition(findCondition(work.status?.conditions, 'Applied'), intern),
    available: condition(findCondition(work.status?.conditions, 'Available'), intern),
    workloads: intern(reported.flatMap((manifest) => sharedFeedback(manifest, intern))),
    failures: intern(reported.flatMap((manifest) => failureOf(manifest, generationOf(work)))),
    ...base(work, intern),
  };
}

/** The works of an add-on have equal options on all clusters, so the digest is computed once for the shared instance. */
const treatmentOf = memoize(workTreatment);

const knownFeedback = memoize(feedbackOf);

/** Interns the agent's feedback, so that equal feedback is read only once. Most works of an add-on have equal feedback. */
function sharedFeedback({ resourceMeta, statusFeedback }: ManifestCondition, intern: Intern): readonly WorkloadFeedback[] {
  return statusFeedback?.values?.length ? knownFeedback(intern({ resourceMeta, statusFeedback })) : [];
}

function specWrittenAt(entries: readonly ManagedFieldsEntry[]): number {
  const times = entries
    .filter(({ fieldsV1, subresource }) => !subresource && fieldsV1?.['f:spec'] !== undefined)
    .map(({ time }) => parseTime(time) ?? 0);
  return Math.max(0, ...times);
}

/** The workloads that determine the health of the add-on, without workloads that are scaled to zero. */
function probed(manifests: readonly JsonObject[], configs: readonly ManifestConfig[]): readonly string[] {
  return probesOf(manifests).flatMap((probe) => {
    const { id, kind, isIdle } = probe;
    return isIdle || (kind.countsIfAsked && !asksFor(asJson(configs), probe)) ? [] : [workloadKey(id)];
  });
}

function condition(found: Condition | undefined, intern: Intern): WorkCondition | undefined {
  // Intern the conditions, because many are equal: an agent reports on all works of its cluster within seconds, and all agents use the same
  // few messages.
  return intern(
    found && {
      status: found.status,
      observedGeneration: found.observedGeneration ?? 0,
      message: found.message,
      since: parseTime(found.lastTransitionTime) ?? 0,
    },
  );
}

/** The feedback values of one manifest, by name; empty if the agent reports no values. */
export function feedbackOf({
  resourceMeta,
  statusFeedback,
}: Pick<ManifestCondition, 'resourceMeta' | 'statusFeedback'>): WorkloadFeedback[] {
  const values = statusFeedback?.values ?? [];
  if (values.length === 0) return [];
  const read = values.flatMap(({ name, fieldValue }) => {
    const value = fieldValue.integer ?? fieldValue.string ?? fieldValue.boolean;
    return value === undefined ? [] : [[name, value] as const];
  });
  const { group = '', resource = '', namespace = '', name = '' } = resourceMeta;
  return [{ group, resource, namespace, name, values: Object.fromEntries(read) }];
}

/**
 * A manifest that the agent could not apply in this generation. A condition without a generation counts as one with the work's generation.
 */
export function failureOf({ resourceMeta, conditions }: ManifestCondition, generation: number): { manifest: string; message: string }[] {
  const applied = findCondition(conditions, 'Applied');
  if (applied?.status !== 'False' || (applied.observedGeneration ?? generation) !== generation) return [];
  return [{ manifest: manifestName(resourceMeta), message: applied.message }];
}

/** `<kind> [<namespace>/]<name>`, the form in which conditions and explanations name a manifest. */
export function manifestName({ kind, resource, namespace, name = '' }: ManifestCondition['resourceMeta']): string {
  return `${kind ?? resource ?? 'manifest'} ${namespace ? `${namespace}/${name}` : name}`;
}
