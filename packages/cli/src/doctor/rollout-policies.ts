import {
  type ClusterManagementAddOn,
  type ClusterRole,
  type ClusterRoleBinding,
  type ManagedCluster,
  OUTRIGGER_GROUP,
  type Placement,
  type RolloutApproval,
  type RolloutPolicy,
  decisionPolicyProblem,
} from '@outrigger/api';
import { type KubeObject, parseTime, shell, nameOf } from '@outrigger/core';
import { type CompiledPolicy, type GatedCluster, closedForever, compilePolicy, missingGroups } from '@outrigger/rules/policy';
import {
  type ManagerNames,
  clustersWithoutZone,
  governsNothing,
  ineffectiveRollBacks,
  queriesWithoutVariables,
  unknownNames,
} from '../fleet/policy-advice.js';
import { type Finding, some } from './finding.js';

/**
 * The objects that the check of RolloutPolicies uses. A field is undefined if the user may not read its objects, which the check then
 * skips.
 */
export interface PolicyObjects {
  readonly policies: readonly RolloutPolicy[];
  readonly placements: readonly Placement[];
  readonly admission: { readonly policies: readonly KubeObject[]; readonly bindings: readonly KubeObject[] } | undefined;
  readonly roles: readonly ClusterRole[] | undefined;
  readonly bindings: readonly ClusterRoleBinding[] | undefined;
  readonly decisions?: readonly RolloutApproval[] | undefined;
  /** The providers and addresses that the manager's flags define; undefined if its Deployment is not known. */
  readonly manager?: ManagerNames | undefined;
}

const CHECK = 'policies';
const REINSTALL = 'outrigger install hub --apply';

/**
 * Finds gates that never open: invalid policies, approvals that are ignored or that no user may give, and windows that exclude each other.
 * Returns the problems and the warnings as two findings, so that neither hides the other.
 */
export function rolloutPolicies(
  objects: PolicyObjects,
  fleet: {
    readonly managementAddOns: readonly ClusterManagementAddOn[];
    readonly clusters: readonly ManagedCluster[];
    readonly nowMs: number;
  },
): readonly Finding[] {
  const compiled = objects.policies.map(compilePolicy);
  if (compiled.length === 0) return [{ check: CHECK, state: 'ok', text: 'none' }];
  const broken = compiled.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${name} cannot be read (${problem}), so it holds every cluster`],
  );
  const asking = compiled.filter(({ approvals }) => approvals.some(({ waitMs }) => waitMs === undefined));
  const unchecked =
    objects.admission && asking.length > 0 ? decisionPolicyProblem(objects.admission.policies, objects.admission.bindings) : undefined;
  const closed = fleet.managementAddOns.flatMap((managementAddOn) => closedFor(managementAddOn, compiled, fleet));
  const unknown = objects.manager ? compiled.flatMap((policy) => unknownNames(policy, objects.manager as ManagerNames)) : [];
  const problems = [...broken, ...unknown, ...(unchecked === undefined ? [] : [`approvals do not count: ${unchecked}`]), ...closed];
  const warnings = [
    ...withoutApprovers(asking, objects),
    ...withoutGroups(compiled, objects.placements),
    ...withoutEffect(compiled, fleet),
    ...expiredOverrides(objects.decisions ?? [], fleet.nowMs),
  ];
  if (problems.length + warnings.length === 0) return [{ check: CHECK, state: 'ok', text: `${compiled.length} in force` }];
  const hint = unchecked === undefined ? {} : { hint: REINSTALL };
  return [
    ...(problems.length > 0 ? [{ check: CHECK, state: 'problem', text: some(problems), ...hint } as const] : []),
    ...(warnings.length > 0 ? [{ check: CHECK, state: 'warning', text: some(warnings) } as const] : []),
  ];
}

function closedFor(
  { metadata }: ClusterManagementAddOn,
  policies: readonly CompiledPolicy[],
  { clusters, nowMs }: { readonly clusters: readonly ManagedCluster[]; readonly nowMs: number },
): readonly string[] {
  const name = metadata.name ?? '';
  const governing = policies.filter((policy) => policy.governs(name, metadata.labels ?? {}));
  return closedForever(governing, clusters.map(gatedCluster), nowMs).map(
    ({ operation, windows, clusters: held }) =>
      `${name}: ${windows.join(' and ')} never ${windows.length === 1 ? 'opens' : 'open'} for ${operation} of ${some(held)}`,
  );
}

function gatedCluster(cluster: ManagedCluster): GatedCluster {
  return { name: nameOf(cluster), labels: cluster.metadata.labels ?? {}, annotations: cluster.metadata.annotations ?? {} };
}

/** Reports parts of policies that have no effect, or an effect other than the apparent one. */
function withoutEffect(
  policies: readonly CompiledPolicy[],
  {
    managementAddOns,
    clusters,
  }: { readonly managementAddOns: readonly ClusterManagementAddOn[]; readonly clusters: readonly ManagedCluster[] },
): readonly string[] {
  const gated = clusters.map(gatedCluster);
  return [
    ...policies
      .filter((policy) => governsNothing(policy, managementAddOns))
      .map(({ name }) => `${name} governs no add-on: check spec.addOns`),
    ...managementAddOns
      .flatMap((managementAddOn) => ineffectiveRollBacks(policies, managementAddOn))
      .map((entry) => `${entry} never goes back by itself: strategy All counts no failures, so onFailure RollBack needs an analysis`),
    ...policies
      .flatMap(queriesWithoutVariables)
      .map(
        (analysis) => `the query of ${analysis} has none of {{ADDON}}, {{REVISION}} and {{ENTRY}}: it measures the same for every rollout`,
      ),
    ...policies.flatMap((policy) => clustersWithoutZone(policy, gated)),
  ];
}

/** Reports expired gate overrides, which have no effect but stay until they are deleted. */
function expiredOverrides(decisions: readonly RolloutApproval[], nowMs: number): readonly string[] {
  const expired = decisions.filter(({ spec }) => spec.decision === 'Overridden' && (parseTime(spec.expires) ?? nowMs) < nowMs).map(nameOf);
  if (expired.length === 0) return [];
  return [
    `${expired.length === 1 ? '1 override has' : `${expired.length} overrides have`} expired: ${some(expired)}; \`${shell`kubectl delete rolloutapproval ${expired[0] ?? ''}`}\``,
  ];
}

/** Reports policies that no role binding allows any user to approve. Bindings of cluster-admin, which allows everything, are ignored. */
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
