import type { UserInfo } from '@outrigger/core';
import { canonicalJson } from '@outrigger/core/hash';
import { MAX_WORK_BYTES } from '../constants.js';
import { WORK_GROUP } from '../groups.js';
import type { ManifestWork, WorkExecutor } from '../generated/work.js';
import { serviceAccountUser } from '../names.js';
import { allowedWith, badRequest } from './result.js';
import type { AccessCheck, AdmissionResult, AdmissionSettings, Refused } from './types.js';

const MANIFESTS = 'spec.workload.manifests';

export function reviewWork(
  object: ManifestWork,
  old: ManifestWork | undefined,
  user: UserInfo,
  settings: AdmissionSettings,
): AdmissionResult {
  const sameWorkload = old !== undefined && canonicalJson(old.spec.workload ?? {}) === canonicalJson(object.spec.workload ?? {});
  const refused = sameWorkload ? undefined : badManifests(object);
  if (refused) return refused;
  const sameExecutor = old !== undefined && canonicalJson(old.spec.executor ?? {}) === canonicalJson(object.spec.executor ?? {});
  return allowedWith({ requires: sameExecutor ? [] : executorCheck(object, old, user, settings) });
}

function badManifests({ spec }: ManifestWork): Refused | undefined {
  const manifests = spec.workload?.manifests ?? [];
  if (manifests.length === 0) return badRequest(`${MANIFESTS}: a work needs at least one manifest`);
  const size = manifests.reduce((sum, manifest) => sum + new TextEncoder().encode(JSON.stringify(manifest)).length, 0);
  if (size > MAX_WORK_BYTES) return badRequest(`${MANIFESTS}: ${size} bytes of manifests; a work may hold ${MAX_WORK_BYTES}`);
  const seen = new Map<string, number>();
  for (const [index, { apiVersion, kind, metadata }] of manifests.entries()) {
    const path = `${MANIFESTS}[${index}]`;
    if (metadata?.generateName) return badRequest(`${path}.metadata.generateName: is not allowed, the manifest needs a name of its own`);
    if (!metadata?.name) return badRequest(`${path}.metadata.name: every manifest needs a name`);
    const identity = [apiVersion, kind, metadata.namespace ?? '', metadata.name].join('/');
    const first = seen.get(identity);
    if (first !== undefined) return badRequest(`${path}: ${kind} ${metadata.name} is in the work already, at ${MANIFESTS}[${first}]`);
    seen.set(identity, index);
  }
  return undefined;
}

/** The account that upstream checks for a work without an executor: the agent itself. */
const AGENT_ACCOUNT = { namespace: '', name: 'klusterlet-work-sa' };

/** A work without an executor acts with all rights of the agent. Removing an executor is therefore checked like setting that account. */
function executorCheck(
  { metadata, spec }: ManifestWork,
  old: ManifestWork | undefined,
  user: UserInfo,
  settings: AdmissionSettings,
): readonly AccessCheck[] {
  const isTakenAway = old?.spec.executor !== undefined && spec.executor === undefined;
  const account = executorAccount(spec.executor) ?? (settings.checkMissingExecutor || isTakenAway ? AGENT_ACCOUNT : undefined);
  if (!account) return [];
  const { namespace = '' } = metadata;
  return [
    {
      attributes: {
        verb: 'execute-as',
        group: WORK_GROUP,
        resource: 'manifestworks',
        namespace,
        name: serviceAccountUser(account.namespace, account.name),
      },
      denied: `user ${user.username} cannot manipulate the Manifestwork with executor ${account.namespace}/${account.name} in namespace ${namespace}`,
      // The same reason as upstream's.
      reason: 'BadRequest',
    },
  ];
}

function executorAccount(executor: WorkExecutor | undefined): { readonly namespace: string; readonly name: string } | undefined {
  return executor?.subject.serviceAccount;
}
