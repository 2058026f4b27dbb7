import { validateDns1123Label } from '@outrigger/core';
import { CLUSTER_SET_LABEL, DEFAULT_CLUSTER_SET } from '../constants.js';
import type { ClusterTaint, ManagedCluster, ManagedClusterSetBinding } from '../generated/cluster.js';
import { CLUSTER_GROUP, REGISTER_GROUP } from '../groups.js';
import { allowedWith, badRequest, invalid } from './result.js';
import type { AccessCheck, AdmissionLookup, AdmissionResult, AdmissionSettings, JsonPatchOperation, Refused } from './types.js';

export function reviewCluster(
  object: ManagedCluster,
  old: ManagedCluster | undefined,
  lookup: AdmissionLookup,
  settings: AdmissionSettings,
): AdmissionResult {
  const accepts = object.spec.hubAcceptsClient === true && old?.spec.hubAcceptsClient !== true;
  const refused =
    badName(object, old) ?? badUrl(object, old) ?? foreignTime(object, old) ?? (accepts ? terminating(object, lookup) : undefined);
  if (refused) return refused;
  const patch = [...stampTaints(object, old, settings.now), ...defaultSet(object)];
  return {
    ...allowedWith({ requires: [...(accepts ? [acceptCheck(object)] : []), ...joinChecks(object, old)] }),
    ...(patch.length > 0 ? { patch } : {}),
  };
}

function badName({ metadata }: ManagedCluster, old: ManagedCluster | undefined): Refused | undefined {
  if (old) return undefined;
  const [problem] = validateDns1123Label(metadata.name ?? '');
  return problem ? invalid('metadata.name', `the cluster's name is also the name of its namespace: ${problem}`) : undefined;
}

function badUrl({ spec }: ManagedCluster, old: ManagedCluster | undefined): Refused | undefined {
  const known = new Set((old?.spec.managedClusterClientConfigs ?? []).map(({ url }) => url));
  for (const [index, { url }] of (spec.managedClusterClientConfigs ?? []).entries()) {
    const isHttps = URL.canParse(url) && new URL(url).protocol === 'https:';
    if (!isHttps && !known.has(url)) {
      return invalid(`spec.managedClusterClientConfigs[${index}].url`, `"${url}" is not an https address`);
    }
  }
  return undefined;
}

/**
 * The hub alone says since when a taint is there: tolerations for a time are counted from it. A writer may send back what it read,
 * also with a value or effect it has changed.
 */
function foreignTime({ spec }: ManagedCluster, old: ManagedCluster | undefined): Refused | undefined {
  const before = old?.spec.taints ?? [];
  const index = (spec.taints ?? []).findIndex(
    ({ key, timeAdded }) => timeAdded !== undefined && !before.some((taint) => taint.key === key && taint.timeAdded === timeAdded),
  );
  return index < 0 ? undefined : badRequest(`spec.taints[${index}].timeAdded: is set by the hub, leave it out`);
}

function stampTaints({ spec }: ManagedCluster, old: ManagedCluster | undefined, now: string): readonly JsonPatchOperation[] {
  return (spec.taints ?? []).flatMap((taint, index): readonly JsonPatchOperation[] => {
    const same = old?.spec.taints?.find((other) => isSameTaint(other, taint));
    const value = same ? same.timeAdded : now;
    if (value === undefined || value === taint.timeAdded) return [];
    return [{ op: taint.timeAdded === undefined ? 'add' : 'replace', path: `/spec/taints/${index}/timeAdded`, value }];
  });
}

function isSameTaint(a: ClusterTaint, b: ClusterTaint): boolean {
  return a.key === b.key && (a.value ?? '') === (b.value ?? '') && a.effect === b.effect;
}

function terminating({ metadata }: ManagedCluster, lookup: AdmissionLookup): Refused | undefined {
  const { name = '' } = metadata;
  if (!lookup.isTerminating(name)) return undefined;
  return invalid('spec.hubAcceptsClient', `the namespace ${name} is being deleted; accept the cluster when it is gone`);
}

function acceptCheck({ metadata }: ManagedCluster): AccessCheck {
  const { name = '' } = metadata;
  return {
    attributes: { verb: 'update', group: REGISTER_GROUP, resource: 'managedclusters', subresource: 'accept', name },
    denied: `spec.hubAcceptsClient: you may not accept the cluster ${name} (update on managedclusters/accept of ${REGISTER_GROUP})`,
  };
}

/** Leaving a set and joining one both need the right to it. The default set is where a cluster without a label ends up anyway. */
function joinChecks(object: ManagedCluster, old: ManagedCluster | undefined): readonly AccessCheck[] {
  const now = object.metadata.labels?.[CLUSTER_SET_LABEL] ?? '';
  const before = old?.metadata.labels?.[CLUSTER_SET_LABEL] ?? '';
  if (now === before) return [];
  const isDefaultOnCreate = old === undefined && now === DEFAULT_CLUSTER_SET;
  return [before, isDefaultOnCreate ? '' : now]
    .filter((set) => set !== '')
    .map((set) => setCheck('join', set, `metadata.labels[${CLUSTER_SET_LABEL}]`));
}

function setCheck(right: 'join' | 'bind', set: string, field: string): AccessCheck {
  return {
    attributes: { verb: 'create', group: CLUSTER_GROUP, resource: 'managedclustersets', subresource: right, name: set },
    denied: `${field}: you may not ${right} the ManagedClusterSet ${set} (create on managedclustersets/${right})`,
  };
}

function defaultSet({ metadata }: ManagedCluster): readonly JsonPatchOperation[] {
  if (metadata.labels?.[CLUSTER_SET_LABEL]) return [];
  if (!metadata.labels) return [{ op: 'add', path: '/metadata/labels', value: { [CLUSTER_SET_LABEL]: DEFAULT_CLUSTER_SET } }];
  return [
    { op: 'add', path: `/metadata/labels/${CLUSTER_SET_LABEL.replaceAll('~', '~0').replaceAll('/', '~1')}`, value: DEFAULT_CLUSTER_SET },
  ];
}

export function reviewClusterSetBinding(object: ManagedClusterSetBinding, old: ManagedClusterSetBinding | undefined): AdmissionResult {
  const { clusterSet } = object.spec;
  if (old?.spec.clusterSet === clusterSet) return allowedWith({});
  if (object.metadata.name !== clusterSet) return invalid('spec.clusterSet', 'the binding must have the name of the set it binds');
  return allowedWith({ requires: [setCheck('bind', clusterSet, 'spec.clusterSet')] });
}
