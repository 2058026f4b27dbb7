import { type UserInfo, deepEqual } from '@outrigger/core';
import { MAX_WORK_BYTES } from '../constants.js';
import { WORK_GROUP } from '../groups.js';
import type { ManifestWork, ManifestWorkReplicaSet, ManifestWorkSpec, WorkExecutor } from '../generated/work.js';
import { serviceAccountUser } from '../names.js';
import { manifestBytes } from '../work/size.js';
import { allowedWith, badRequest } from './result.js';
import type { AccessCheck, AdmissionResult, AdmissionSettings, Refused } from './types.js';

/** The spec of a work or of a ManifestWorkReplicaSet's template, and the namespace in which its executor acts. */
interface ReviewedSpec {
  readonly spec: ManifestWorkSpec;
  readonly old: ManifestWorkSpec | undefined;
  /** The path of the spec in its object. */
  readonly path: string;
  /** The namespace of the work; empty if the works may be on any cluster. */
  readonly namespace: string;
}

export function reviewWork(
  object: ManifestWork,
  old: ManifestWork | undefined,
  user: UserInfo,
  settings: AdmissionSettings,
): AdmissionResult {
  return reviewSpec({ spec: object.spec, old: old?.spec, path: 'spec', namespace: object.metadata.namespace ?? '' }, user, settings);
}

/**
 * Reviews a ManifestWorkReplicaSet. The hub creates the works of the ManifestWorkReplicaSet on any cluster and has permission to use every
 * executor, so the writer needs the permission to use the executor on all clusters.
 */
export function reviewReplicaSet(
  { spec }: ManifestWorkReplicaSet,
  old: ManifestWorkReplicaSet | undefined,
  user: UserInfo,
  settings: AdmissionSettings,
): AdmissionResult {
  const template = { spec: spec.manifestWorkTemplate ?? {}, old: old && (old.spec.manifestWorkTemplate ?? {}) };
  return reviewSpec({ ...template, path: 'spec.manifestWorkTemplate', namespace: '' }, user, settings);
}

function reviewSpec(reviewed: ReviewedSpec, user: UserInfo, settings: AdmissionSettings): AdmissionResult {
  const { spec, old, path } = reviewed;
  const sameWorkload = old !== undefined && deepEqual(old.workload ?? {}, spec.workload ?? {});
  const refused = sameWorkload ? undefined : badManifests(spec, `${path}.workload.manifests`);
  if (refused) return refused;
  return allowedWith({ requires: executorChecks(reviewed, user, settings) });
}

function badManifests(spec: ManifestWorkSpec, field: string): Refused | undefined {
  const manifests = spec.workload?.manifests ?? [];
  if (manifests.length === 0) return badRequest(`${field}: a work needs at least one manifest`);
  const size = manifestBytes(manifests);
  if (size > MAX_WORK_BYTES) return badRequest(`${field}: ${size} bytes of manifests; a work may hold ${MAX_WORK_BYTES}`);
  const seen = new Map<string, number>();
  for (const [index, { apiVersion, kind, metadata }] of manifests.entries()) {
    const path = `${field}[${index}]`;
    if (metadata?.generateName) return badRequest(`${path}.metadata.generateName: is not allowed, the manifest needs a name of its own`);
    if (!metadata?.name) return badRequest(`${path}.metadata.name: every manifest needs a name`);
    const identity = [apiVersion, kind, metadata.namespace ?? '', metadata.name].join('/');
    const first = seen.get(identity);
    if (first !== undefined) return badRequest(`${path}: ${kind} ${metadata.name} is in the work already, at ${field}[${first}]`);
    seen.set(identity, index);
  }
  return undefined;
}

/** The ServiceAccount of the agent. If a work has no executor, upstream checks whether the writer of the work may use this account. */
const AGENT_ACCOUNT = { namespace: '', name: 'klusterlet-work-sa' };

/** The executor in the spec of a work, an AddOnTemplate or a ManifestWorkReplicaSet. */
interface ExecutingSpec {
  readonly spec: { readonly executor?: WorkExecutor };
  readonly old: { readonly executor?: WorkExecutor } | undefined;
  /** The namespace in which the executor acts; empty for all clusters. */
  readonly namespace: string;
}

/**
 * Returns the permission that setting, changing or removing the executor requires. A work without an executor acts with all permissions of
 * the agent, so removing an executor is checked like setting the agent's account. The works of an AddOnTemplate or ManifestWorkReplicaSet
 * may be on any cluster, so their author needs the permission in all namespaces.
 */
export function executorChecks(
  { spec, old, namespace }: ExecutingSpec,
  user: UserInfo,
  settings: Pick<AdmissionSettings, 'checkMissingExecutor'>,
): readonly AccessCheck[] {
  if (old !== undefined && deepEqual(old.executor ?? {}, spec.executor ?? {})) return [];
  const isTakenAway = old?.executor !== undefined && spec.executor === undefined;
  const account = executorAccount(spec.executor) ?? (settings.checkMissingExecutor || isTakenAway ? AGENT_ACCOUNT : undefined);
  if (!account) return [];
  const where = namespace === '' ? 'all namespaces' : `namespace ${namespace}`;
  return [
    {
      attributes: {
        verb: 'execute-as',
        group: WORK_GROUP,
        resource: 'manifestworks',
        namespace,
        name: serviceAccountUser(account.namespace, account.name),
      },
      denied: `user ${user.username} cannot manipulate the Manifestwork with executor ${account.namespace}/${account.name} in ${where}`,
      // The reason that upstream's webhook gives.
      reason: 'BadRequest',
    },
  ];
}

function executorAccount(executor: WorkExecutor | undefined): { readonly namespace: string; readonly name: string } | undefined {
  return executor?.subject.serviceAccount;
}
