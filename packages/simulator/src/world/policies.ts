import { type RolloutApproval, type RolloutPolicy, rolloutApprovals, rolloutPolicies } from '@outrigger/api';
import { apiVersionOf, toTime } from '@outrigger/core';
import type { AddOnName } from './objects.js';

export const POLICIES = ['guard', 'calendar'] as const;
export type PolicyName = (typeof POLICIES)[number];
/** A gate as `<policy>/<name>`. The name `onFailure` stands for the automatic rollback of the policy. */
export type GateName = `${PolicyName}/${'freeze' | 'hours' | 'approval' | 'errors' | 'onFailure'}`;

/** The provider that every analysis queries. */
export const PROVIDER = 'metrics';
/** The largest value that passes an analysis. */
const LIMIT = 0.5;

/** The gates of a policy. Times are relative to the step that creates the policy. */
export interface PolicyShape {
  readonly addOns: readonly AddOnName[];
  /** A period without admissions, as the time of its start and its duration. */
  readonly freeze?: { readonly afterMs: number; readonly forMs: number } | undefined;
  /** The only period with admissions, as the time of its start and its duration. */
  readonly hours?: { readonly afterMs: number; readonly forMs: number } | undefined;
  /** The operations that the windows hold. */
  readonly operations: readonly ('Upgrade' | 'Install' | 'Remove')[];
  readonly approval?:
    | {
        readonly place: 'before Rollout' | 'before Group' | 'after Group' | 'after Rollout';
        readonly required: number;
        readonly waitSeconds?: number | undefined;
      }
    | undefined;
  readonly analysis?:
    | {
        readonly count: number;
        readonly intervalSeconds: number;
        readonly initialDelaySeconds: number;
        readonly failureLimit: number;
      }
    | undefined;
  readonly onFailure?: { readonly action: 'Halt' | 'RollBack'; readonly maxConcurrency?: number | undefined } | undefined;
}

export function rolloutPolicy(name: PolicyName, shape: PolicyShape, now: number): RolloutPolicy {
  const { addOns, freeze, hours, operations, approval, analysis, onFailure } = shape;
  const period = ({ afterMs, forMs }: { readonly afterMs: number; readonly forMs: number }): { from: string; until: string } => ({
    from: toTime(now + afterMs),
    until: toTime(now + afterMs + forMs),
  });
  const [side, what] = (approval?.place ?? '').split(' ') as ['before' | 'after', 'Rollout' | 'Group'];
  const windows = [
    ...(freeze ? [{ name: 'freeze', effect: 'Deny' as const, for: operations, ...period(freeze) }] : []),
    ...(hours ? [{ name: 'hours', effect: 'Allow' as const, for: operations, ...period(hours) }] : []),
  ];
  return {
    apiVersion: apiVersionOf(rolloutPolicies),
    kind: rolloutPolicies.kind,
    metadata: { name },
    spec: {
      addOns: { names: addOns },
      ...(windows.length > 0 ? { windows } : {}),
      ...(approval
        ? {
            approvals: [
              {
                name: 'approval',
                [side]: what,
                required: approval.required,
                ...(approval.waitSeconds === undefined ? {} : { wait: `${approval.waitSeconds}s` }),
              },
            ],
          }
        : {}),
      ...(analysis
        ? {
            analysis: [
              {
                name: 'errors',
                provider: PROVIDER,
                query: 'errors{add_on="{{ADDON}}"}',
                interval: `${analysis.intervalSeconds}s`,
                initialDelay: `${analysis.initialDelaySeconds}s`,
                count: analysis.count,
                failureLimit: analysis.failureLimit,
                success: `result <= ${LIMIT}`,
              },
            ],
          }
        : {}),
      ...(onFailure
        ? {
            onFailure: {
              action: onFailure.action,
              ...(onFailure.maxConcurrency === undefined ? {} : { maxConcurrency: onFailure.maxConcurrency }),
            },
          }
        : {}),
    },
  };
}

export function rolloutApproval(name: string, spec: RolloutApproval['spec'], owner: { name: string; uid: string }): RolloutApproval {
  const ownerReferences = [{ apiVersion: 'outrigger.dev/v1alpha1', kind: 'AddOnRollout', ...owner }];
  return { apiVersion: apiVersionOf(rolloutApprovals), kind: rolloutApprovals.kind, metadata: { name, ownerReferences }, spec };
}
