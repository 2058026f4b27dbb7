import { validateDns1123Label } from '@outrigger/core';
import { CLUSTER_SET_LABEL, DEFAULT_CLUSTER_SET, HUB_NAMESPACE } from '../constants.js';
import type { ManagedCluster, ManagedClusterSetBinding } from '../generated/cluster.js';
import { CLUSTER_GROUP, REGISTER_GROUP } from '../groups.js';
import { ALL_CLUSTER_AGENTS_GROUP, clusterAgentGroup } from '../names.js';
import { JOIN_NAMESPACE } from './cluster-identity.js';
import { allowedWith, invalid } from './result.js';
import type { AccessCheck, AdmissionLookup, AdmissionResult, Refused } from './types.js';

export function reviewCluster(object: ManagedCluster, old: ManagedCluster | undefined, lookup: AdmissionLookup): AdmissionResult {
  const accepts = object.spec.hubAcceptsClient === true && old?.spec.hubAcceptsClient !== true;
  const refused = badName(object, old) ?? badUrl(object, old) ?? (accepts ? terminating(object, lookup) : undefined);
  return refused ?? allowedWith({ requires: [...(accepts ? [acceptCheck(object)] : []), ...joinChecks(object, old)] });
}

/**
 * The start of the message about an invalid cluster name. `outrigger doctor` looks for this text to find out whether Outrigger's admission
 * runs.
 */
export const NAMESPACE_NAME_RULE = "the cluster's name is also the name of its namespace";

function badName({ metadata }: ManagedCluster, old: ManagedCluster | undefined): Refused | undefined {
  const problem = old ? undefined : clusterNameProblem(metadata.name ?? '');
  return problem === undefined ? undefined : invalid('metadata.name', problem);
}

/** Returns the reason why no cluster may have this name, or undefined if a cluster may have it. */
export function clusterNameProblem(name: string): string | undefined {
  const [problem] = validateDns1123Label(name);
  if (problem) return `${NAMESPACE_NAME_RULE}: ${problem}`;
  return RESERVED_NAMES.has(name) ? `${NAMESPACE_NAME_RULE}: ${name} is reserved; choose another name` : undefined;
}

/**
 * Names that no cluster may have. The agents of all clusters are in the group that a cluster named `managed-clusters` would have, so each
 * of them could read the works of that cluster. The agent of a cluster gets permissions in the namespace with the cluster's name, so the
 * names of system namespaces are reserved too. In two of them, `default` and `kube-system`, the API server accepts Events about objects
 * without a namespace, such as declarations.
 */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ALL_CLUSTER_AGENTS_GROUP.slice(clusterAgentGroup('').length),
  JOIN_NAMESPACE,
  HUB_NAMESPACE,
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
]);

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

/**
 * Returns the permissions that a change of the cluster set requires: one on the set that the cluster leaves, and one on the set that it
 * joins. A cluster without the label is in the default set; creating a cluster there requires no permission.
 */
function joinChecks(object: ManagedCluster, old: ManagedCluster | undefined): readonly AccessCheck[] {
  const before = setOf(old);
  const now = setOf(object);
  if (before === now) return [];
  return [...(old ? [before] : []), now].map((set) => setCheck('join', set, `metadata.labels[${CLUSTER_SET_LABEL}]`));
}

function setOf(cluster: ManagedCluster | undefined): string {
  return cluster?.metadata.labels?.[CLUSTER_SET_LABEL] || DEFAULT_CLUSTER_SET;
}

function setCheck(right: 'join' | 'bind', set: string, field: string): AccessCheck {
  return {
    attributes: { verb: 'create', group: CLUSTER_GROUP, resource: 'managedclustersets', subresource: right, name: set },
    denied: `${field}: you may not ${right} the ManagedClusterSet ${set} (create on managedclustersets/${right})`,
  };
}

export function reviewClusterSetBinding(object: ManagedClusterSetBinding, old: ManagedClusterSetBinding | undefined): AdmissionResult {
  const { clusterSet } = object.spec;
  if (old?.spec.clusterSet === clusterSet) return allowedWith({});
  if (object.metadata.name !== clusterSet) return invalid('spec.clusterSet', 'the binding must have the name of the set it binds');
  return allowedWith({ requires: [setCheck('bind', clusterSet, 'spec.clusterSet')] });
}
