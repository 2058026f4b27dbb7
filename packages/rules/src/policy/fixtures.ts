import type { RolloutPolicy, RolloutPolicySpec } from '@outrigger/api';
import { type CompiledPolicy, compilePolicy } from './compile.js';
import type { GateDecision } from './decisions.js';
import { type GateInput, type GateVerdict, evaluateGates } from './gates.js';
import type { GateCluster, GateGroup, RecordedGates } from './hold.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A Monday. */
export const NOW = Date.parse('2026-11-16T12:00:00Z');

export function policy(name: string, spec: Partial<RolloutPolicySpec> = {}): CompiledPolicy {
  const object: RolloutPolicy = {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name },
    spec: { addOns: { selector: {} }, ...spec },
  };
  return compilePolicy(object);
}

export type WindowSpec = NonNullable<RolloutPolicySpec['windows']>[number];
export type ApprovalSpec = NonNullable<RolloutPolicySpec['approvals']>[number];
export const freeze = (rest: Partial<WindowSpec> = {}): WindowSpec => ({
  name: 'freeze',
  effect: 'Deny',
  from: '2026-11-16T00:00',
  until: '2026-11-17T00:00',
  ...rest,
});
export const nights = (rest: Partial<WindowSpec> = {}): WindowSpec => ({
  name: 'nights',
  effect: 'Allow',
  schedule: '0 22 * * *',
  duration: '6h',
  ...rest,
});
export const approval = (rest: Partial<ApprovalSpec> = {}): ApprovalSpec => ({ name: 'go', before: 'Rollout', ...rest });

export function cluster(name: string, rest: Partial<GateCluster> = {}): GateCluster {
  return { name, labels: {}, annotations: {}, operation: 'Upgrade', ...rest };
}

export function group(name: string, waiting: readonly (string | GateCluster)[], rest: Partial<GateGroup> = {}): GateGroup {
  const clusters = waiting.map((one) => (typeof one === 'string' ? cluster(one) : one));
  return { name, index: undefined, size: clusters.length, waiting: clusters, isReached: true, isDone: false, ...rest };
}

export const CANARY = group('canary', [], { index: 0, size: 2, isDone: true });
export const PRODUCTION = group('production', ['p1', 'p2', 'p3'], { index: 1 });

export function decided(spec: Partial<GateDecision> & Pick<GateDecision, 'decision'>): GateDecision {
  return {
    name: `${spec.by ?? 'alice'}-${spec.decision}`,
    addOn: 'metrics',
    entry: 'default/all',
    revision: 7,
    gate: 'p/go',
    by: 'alice',
    createdAt: NOW - MINUTE,
    endsAt: undefined,
    ...spec,
  };
}

export function evaluate(input: Partial<GateInput>): GateVerdict {
  return evaluateGates({
    policies: [],
    decisions: [],
    areDecisionsEnforced: true,
    isClockTrusted: true,
    rollout: { addOn: 'metrics', entry: 'default/all', revision: 7, createdAt: 0 },
    isWayBack: false,
    groups: [group('rest', ['c1', 'c2'])],
    before: undefined,
    now: NOW,
    ...input,
  });
}

export const heldOf = (verdict: GateVerdict): readonly string[] => [...verdict.held].sort();
export const recordOf = ({ waitingFor, openedGates }: GateVerdict): RecordedGates => ({
  waitingFor: [...waitingFor],
  openedGates: [...openedGates],
});
