import type { ClusterManagementAddOn, Placement, RolloutPolicy } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { closedForever, compilePolicy, missingGroups } from '@outrigger/rules/policy';
import { governsNothing, ineffectiveRollBacks, queriesWithoutVariables } from '../fleet/policy-advice.js';

/**
 * Returns findings about a RolloutPolicy that the hub accepts: groups that no Placement in the files has, windows that never open, and
 * parts without an effect. If the files declare no add-on, a policy that governs none of them is not a finding, because the hub may have
 * add-ons.
 */
export function policyFindings(policy: RolloutPolicy, objects: readonly KubeObject[], nowMs: number): readonly string[] {
  const compiled = compilePolicy(policy);
  const placements = objects.filter((object): object is Placement => object.kind === 'Placement');
  const managementAddOns = objects.filter((object): object is ClusterManagementAddOn => object.kind === 'ClusterManagementAddOn');
  const names = new Set(placements.flatMap(groupNames));
  const isKnown = ({ groupName }: { readonly groupName?: string }): boolean =>
    groupName === undefined || groupName === 'rest' || names.has(groupName);
  const groups = placements.length === 0 ? [] : missingGroups(compiled, isKnown);
  const index = (gate: string): number => (policy.spec.approvals ?? []).findIndex(({ name }) => gate.endsWith(`/${name}`));
  return [
    ...groups.map(
      ({ gate, group }) =>
        `spec.approvals[${index(gate)}].groups: no Placement of these files has a group ${group}; ${names.size > 0 ? `there are ${[...names].sort().join(', ')}` : 'they have no decision groups'}`,
    ),
    ...closedForever([compiled], sampleClusters(policy), nowMs).map(
      ({ windows, operation, clusters }) =>
        `spec.windows: ${windows.join(' and ')} never ${windows.length === 1 ? 'opens' : 'open'} for ${operation} in the next two years: no cluster${withLabels(clusters)} can be admitted`,
    ),
    ...(managementAddOns.length > 0 && governsNothing(compiled, managementAddOns)
      ? ['spec.addOns: selects no add-on that these files declare']
      : []),
    ...managementAddOns
      .flatMap((managementAddOn) => ineffectiveRollBacks([compiled], managementAddOn))
      .map((entry) => `spec.onFailure: ${entry} never goes back by itself: strategy All counts no failures, so RollBack needs an analysis`),
    ...queriesWithoutVariables(compiled).map(
      (analysis) =>
        `spec.analysis[${(policy.spec.analysis ?? []).findIndex(({ name }) => analysis.endsWith(`/${name}`))}].query: has none of {{ADDON}}, {{REVISION}} and {{ENTRY}}, so it measures the same for every rollout`,
    ),
  ];
}

function groupNames({ spec }: Placement): readonly string[] {
  return (spec.decisionStrategy?.groupStrategy?.decisionGroups ?? []).flatMap(({ groupName }) =>
    groupName === undefined ? [] : [groupName],
  );
}

/** Formats the labels of the sample clusters. The text is empty if one of them has no labels. */
function withLabels(samples: readonly string[]): string {
  return samples.includes('') ? '' : ` with ${samples.join(' or ')}`;
}

/** Returns sample clusters, named by their labels: one without labels, and one with the labels of each window. */
function sampleClusters({ spec }: RolloutPolicy): readonly {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}[] {
  const labels = (spec.windows ?? []).map(({ clusters }): Readonly<Record<string, string>> => clusters?.matchLabels ?? {});
  return [{}, ...labels].map((one) => {
    const name = Object.entries(one).map(([key, value]) => `${key}=${value}`);
    return { name: name.join(','), labels: one, annotations: {} };
  });
}
