import {
  type ClusterManagementAddOn,
  type ClusterRole,
  type ClusterRoleBinding,
  type ManagedCluster,
  OUTRIGGER_GROUP,
  type Placement,
  type RolloutPolicy,
  decisionPolicyProblem,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { type CompiledPolicy, closedForever, compilePolicy, missingGroups } from '@outrigger/rules/policy';
import { nameOf } from '../fleet/objects.js';
import { type Finding, some } from './finding.js';

/**
 * The objects that the check of RolloutPolicies uses. A field is undefined if the user may not read the objects, and the check skips them.
 */
export interface PolicyObjects {
  readonly policies: readonly RolloutPolicy[];
  readonly placements: readonly Placement[];
  readonly admission: { readonly policies: readonly KubeObject[]; readonly bindings: readonly KubeObject[] } | undefined;
  readonly roles: readonly ClusterRole[] | undefined;
  readonly bindings: readonly ClusterRoleBinding[] | undefined;
}

const CHECK = 'policies';
const REINSTALL = 'outrigger install hub --apply';

/**
 * Finds gates that never open: invalid policies, approvals that are ignored or that no user may give, and windows that exclude each other.
 */
export function rolloutPolicies(
  objects: PolicyObjects,
  fleet: {
    readonly managementAddOns: readonly ClusterManagementAddOn[];
    readonly clusters: readonly ManagedCluster[];
    readonly nowMs: number;
  },
): Finding {
  const compiled = objects.policies.map(compilePolicy);
  if (compiled.length === 0) return { check: CHECK, state: 'ok', text: 'none' };
  const broken = compiled.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${name} cannot be read (${problem}), so it holds every cluster`],
  );
  const asking = compiled.filter(({ approvals }) => approvals.some(({ waitMs }) => waitMs === undefined));
  const unchecked =
    objects.admission && asking.length > 0 ? decisionPolicyProblem(objects.admission.policies, objects.admission.bindings) : undefined;
  const closed = fleet.managementAddOns.flatMap((managementAddOn) => closedFor(managementAddOn, compiled, fleet));
  const problems = [...broken, ...(unchecked === undefined ? [] : [`approvals do not count: ${unchecked}`]), ...closed];
  if (problems.length > 0)
    return { check: CHECK, state: 'problem', text: some(problems), ...(unchecked === undefined ? {} : { hint: REINSTALL }) };
  const warnings = [...withoutApprovers(asking, objects), ...withoutGroups(compiled, objects.placements)];
  if (warnings.length > 0) return { check: CHECK, state: 'warning', text: some(warnings) };
  return { check: CHECK, state: 'ok', text: `${compiled.length} in force` };
}

function closedFor(
  { metadata }: ClusterManagementAddOn,
  policies: readonly CompiledPolicy[],
  { clusters, nowMs }: { readonly clusters: readonly ManagedCluster[]; readonly nowMs: number },
): readonly string[] {
  const name = metadata.name ?? '';
  const governing = policies.filter((policy) => policy.governs(name, metadata.labels ?? {}));
  const gated = clusters.map((cluster) => ({
    name: nameOf(cluster),
    labels: cluster.metadata.labels ?? {},
    annotations: cluster.metadata.annotations ?? {},
  }));
  return closedForever(governing, gated, nowMs).map(
    ({ operation, windows, clusters: held }) => `${name}: ${windows.join(' and ')} never open for ${operation} of ${some(held)}`,
  );
}

/** Policies for which no role binding allows any user to approve. Bindings of cluster-admin, which allows everything, are ignored. */
function withoutApprovers(asking: readonly CompiledPolicy[], { roles, bindings }: PolicyObjects): readonly string[] {
  if (!roles || !bindings) return [];
  const bound = new Set(bindings.filter(({ subjects = [] }) => subjects.length > 0).map(({ roleRef }) => roleRef.name));
  return asking.flatMap(({ name }) => {
    const isGranted = roles.some((role) => nameOf(role) !== 'cluster-admin' && bound.has(nameOf(role)) && mayApprove(role, name));
    return isGranted ? [] : [`no user but administrators may approve ${name}: bind the ClusterRole outrigger:rollout-approver`];
  });
}

function mayApprove({ rules = [] }: ClusterRole, policy: string): boolean {
  const has = (list: readonly string[] = [], wanted: string): boolean => list.includes(wanted) || list.includes('*');
  return rules.some(
    ({ apiGroups, resources, verbs, resourceNames = [] }) =>
      has(apiGroups, OUTRIGGER_GROUP) &&
      has(resources, 'rolloutpolicies') &&
      has(verbs, 'approve') &&
      (resourceNames.length === 0 || resourceNames.includes(policy)),
  );
}

function withoutGroups(policies: readonly CompiledPolicy[], placements: readonly Placement[]): readonly string[] {
  const groups = placements.flatMap(({ status }) => status?.decisionGroups ?? []);
  const exists = ({ groupName, groupIndex }: { readonly groupName?: string; readonly groupIndex?: number }): boolean =>
    groupName === 'rest' ||
    groups.some((one) => (groupName === undefined ? one.decisionGroupIndex === groupIndex : one.decisionGroupName === groupName));
  return policies.flatMap((policy) =>
    missingGroups(policy, exists).map(({ gate, group }) => `${gate} is about group ${group}, which no Placement has`),
  );
}
