import type { Outcomes } from '@outrigger/kube';
import type { ApprovalProjection, ContentProjection, TargetRecordProjection } from '@outrigger/rules/observed';
import type { CompiledPolicy, GateDecision } from '@outrigger/rules/policy';
import type { TargetState } from '@outrigger/rules/rollout';
import type { MemberState } from '@outrigger/rules/strategy';
import type { RequestedMeasurements } from '../../rollout-policies/measurements.js';
import type { RequestedPredictions } from '../../rollout-policies/predictions.js';
import type { FleetMemory } from './memory.js';
import type { RemovalPolicy } from './removal.js';

/** The input of one pass over a ClusterManagementAddOn. */
export interface FleetState extends TargetState, MemberState {
  /** Whether a config that the declaration names has not been read yet; the pass then decides nothing. */
  readonly hasUnreadConfig: boolean;
  /** Whether the AddOnRollout for all add-ons pauses all rollouts of the fleet. */
  readonly isFleetPaused?: boolean;
  /** The stored content (ControllerRevisions) that this ClusterManagementAddOn owns. */
  readonly contents: readonly ContentProjection[];
  readonly storedContent: (specHash: string) => ContentProjection | undefined;
  /** The stored records of this declaration's targets that have ended. */
  readonly targetRecords: readonly TargetRecordProjection[];
  /** A dependency cycle that includes this add-on. */
  readonly cycle: readonly string[] | undefined;
  /** The in-memory state from the last pass of this process. */
  readonly memory: FleetMemory;
  /** The RolloutPolicies that govern the add-on. */
  readonly policies: readonly CompiledPolicy[];
  /** The RolloutApprovals for the add-on. */
  readonly decisions: readonly GateDecision[];
  /** The cached RolloutApprovals from which `decisions` were read. */
  readonly approvals: readonly ApprovalProjection[];
  /**
   * The time, in milliseconds since the epoch, since which the API server has checked who writes decisions; undefined if it does not check.
   * Earlier decisions are ignored.
   */
  readonly decisionsEnforcedSince: number | undefined;
  /** Whether the clock of this process agrees with the API server's. If it does not, windows count as closed. */
  readonly isClockTrusted: boolean;
  /** The measurements requested from metrics providers, with the answers received so far. */
  readonly measurements: RequestedMeasurements;
  /** The requested rollout predictions, with the results computed so far. */
  readonly predictions: RequestedPredictions;
  readonly removal: RemovalPolicy;
  readonly outcomes: Outcomes;
  /** The namespace of stored content. */
  readonly contentNamespace: string;
}
