import { nameOf } from '@outrigger/core';
import type { AddOnRollout, ClusterManagementAddOn, RolloutPolicy } from '@outrigger/api';
import { type CompiledPolicy, compilePolicy } from '@outrigger/rules/policy';
import { age } from '../terminal/age.js';
import type { TableColumn } from '../terminal/table.js';

export interface PolicyRow {
  readonly policy: RolloutPolicy;
  readonly compiled: CompiledPolicy;
  /** The add-ons that the policy governs. */
  readonly governed: readonly string[];
  /** The governed add-ons whose rollouts a gate of this policy holds. */
  readonly waiting: readonly string[];
}

export function policyRows(
  policies: readonly RolloutPolicy[],
  declared: readonly ClusterManagementAddOn[],
  rollouts: readonly AddOnRollout[],
): readonly PolicyRow[] {
  return policies.map((policy) => {
    const compiled = compilePolicy(policy);
    const holds = (rollout: AddOnRollout): boolean =>
      (rollout.status?.entries ?? []).some(({ waitingFor = [] }) => waitingFor.some(({ name }) => name.startsWith(`${nameOf(policy)}/`)));
    return {
      policy,
      compiled,
      governed: declared.filter(({ metadata }) => compiled.governs(metadata.name ?? '', metadata.labels ?? {})).map(nameOf),
      waiting: rollouts.filter(holds).map(nameOf),
    };
  });
}

export function policyColumns(nowMs: number): readonly TableColumn<PolicyRow>[] {
  const names = (gates: readonly { readonly name: string }[] = []): string => gates.map(({ name }) => name).join(', ');
  return [
    { title: 'NAME', cell: ({ policy }) => nameOf(policy), isShortened: true },
    { title: 'ADD-ONS', cell: ({ governed }) => governed.join(', '), isShortened: true },
    { title: 'WINDOWS', cell: ({ policy }) => names(policy.spec.windows), dropAt: 3 },
    { title: 'APPROVALS', cell: ({ policy }) => names(policy.spec.approvals), dropAt: 2 },
    { title: 'ANALYSIS', cell: ({ policy }) => names(policy.spec.analysis), wide: true },
    {
      title: 'HOLDS',
      cell: ({ compiled, waiting }) =>
        compiled.problem === undefined
          ? { text: waiting.join(', '), as: 'warn' as const }
          : { text: `everything: ${compiled.problem}`, as: 'bad' as const },
      isShortened: true,
    },
    { title: 'AGE', cell: ({ policy }) => age(policy.metadata.creationTimestamp, nowMs), dropAt: 1 },
  ];
}
