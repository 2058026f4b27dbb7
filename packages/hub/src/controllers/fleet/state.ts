import type { Outcomes } from '@outrigger/kube';
import type { ContentRecord, StoredTargetRecord } from '@outrigger/rules/observed';
import type { CompiledPolicy, Decision as PersonDecision } from '@outrigger/rules/policy';
import type { TargetState } from '@outrigger/rules/rollout';
import type { MemberState } from '@outrigger/rules/strategy';
import type { RequestedMeasurements } from '../../rollout-policies/measurements.js';
import type { FleetMemory } from './memory.js';
import type { RemovalPolicy } from './removal.js';

/** The input of one pass over a ClusterManagementAddOn. */
export interface FleetState extends TargetState, MemberState {
  /** A config that the declaration names has not been read yet, so nothing is decided. */
  readonly hasUnreadConfig: boolean;
  /** All rollouts of the fleet are paused, by the AddOnRollout that applies to all add-ons. */
  readonly isFleetPaused?: boolean;
  /** The stored content (ControllerRevisions) that this ClusterManagementAddOn owns. */
  readonly contents: readonly ContentRecord[];
  readonly storedContent: (specHash: string) => ContentRecord | undefined;
  /** The stored records of targets of this ClusterManagementAddOn that ended. */
  readonly targetRecords: readonly StoredTargetRecord[];
  /** A dependency cycle that includes this add-on. */
  readonly cycle: readonly string[] | undefined;
  /** The in-memory state from the last pass of this process. */
  readonly memory: FleetMemory;
  /** The RolloutPolicies that govern the add-on. */
  readonly policies: readonly CompiledPolicy[];
  /** The RolloutApprovals for the add-on. */
  readonly decisions: readonly PersonDecision[];
  /** Since when the API server checks who writes decisions, in ms; undefined if it does not check. Earlier decisions are ignored. */
  readonly decisionsEnforcedSince: number | undefined;
  /** False if the clock of this process differs too much from the API server's; windows are then treated as closed. */
  readonly isClockTrusted: boolean;
  /** The measurements that were requested from metrics providers, with the answers. */
  readonly measurements: RequestedMeasurements;
  readonly removal: RemovalPolicy;
  readonly outcomes: Outcomes;
  /** The namespace of stored content. */
  readonly contentNamespace: string;
}
