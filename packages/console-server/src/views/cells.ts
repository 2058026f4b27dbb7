import { type AddOnRollout, type ManagedCluster, UNKNOWN_VERSION } from '@outrigger/api';
import { clipText, findCondition } from '@outrigger/core';
import { ABSENT_CELL, type CellState, type ClusterState, type FleetCell, type FleetRow } from '@outrigger/console-contract';
import { isUnreachable } from '@outrigger/rules/observed';
import { revisionIn } from '@outrigger/rules/revisions';
import { reportedStep, stateOfStep } from '@outrigger/rules/why';
import type { ReportedAddOn, Report, ReportedCondition } from '../state/projections.js';
import { observedCluster } from '../state/lookups.js';
import type { FleetState } from '../state/state.js';
import { type TargetQuestion, targetVersion } from '../state/targets.js';
import { MAX_WORD, clipLabels } from './limits.js';

/** The state of an add-on on a cluster, with its reason. The rules choose the state, so `outrigger why` reports the same state. */
export function stateOf(report: Report, isReachable: boolean): { readonly state: CellState; readonly cause?: ReportedCondition } {
  const step = reportedStep({ ...report, find: (type) => report[FIELDS[type]] });
  const state = stateOfStep(step, isReachable);
  if (state === 'removing' || state === 'unreachable') return { state };
  switch (step.type) {
    case 'broken':
    case 'dependency-missing':
    case 'unavailable':
    case 'degraded':
      return { state, cause: step.found };
    case 'unrendered':
      return { state, cause: NOT_RENDERED };
    default:
      return { state };
  }
}

const FIELDS = {
  Configured: 'configured',
  Progressing: 'progressing',
  RegistrationApplied: 'registrationApplied',
  ManifestApplied: 'manifestApplied',
  Available: 'available',
  Degraded: 'degraded',
} as const;

const NOT_RENDERED: ReportedCondition = {
  status: 'False',
  reason: 'NoManager',
  message: 'no manager renders the add-on: its declaration leads to no AddOnTemplate',
};

/** Reasons from containers and from Kubernetes that are more specific than the reason of the condition whose message quotes them. */
const QUOTED =
  /\b(ImagePullBackOff|ErrImagePull|InvalidImageName|CrashLoopBackOff|OOMKilled|CreateContainerConfigError|Unschedulable|ProgressDeadlineExceeded|QuotaExceeded|Forbidden|NotFound)\b/;

export function shortReason({ reason, message }: ReportedCondition): string {
  return QUOTED.exec(message)?.[1] ?? clipText(reason, MAX_WORD);
}

/** Whether the cluster is reachable. A cluster that has not reported, or that is not known, counts as reachable. */
export function isReachable(state: FleetState, cluster: string): boolean {
  return !isUnreachable(observedCluster(state, cluster));
}

export function clusterState(cluster: ManagedCluster | undefined): ClusterState {
  if (cluster === undefined) return 'unreported';
  if (cluster.metadata.deletionTimestamp !== undefined) return 'deleting';
  if (cluster.spec.hubAcceptsClient !== true) return 'pending';
  const available = findCondition(cluster.status?.conditions, 'ManagedClusterConditionAvailable');
  if (available === undefined) return 'unreported';
  if (available.status === 'True') return 'available';
  return available.status === 'False' ? 'unavailable' : 'unreachable';
}

export function rowOf(cluster: ManagedCluster | undefined): FleetRow {
  return {
    state: clusterState(cluster),
    labels: clipLabels(cluster?.metadata.labels ?? {}),
    kubernetes: clipText(cluster?.status?.version?.kubernetes ?? '', MAX_WORD),
  };
}

const CELLS = new WeakMap<Report, Map<string, FleetCell>>();

/** Returns the cell of an add-on on a cluster. Equal reports share one cell. */
export function cellOf(state: FleetState, clusterName: string, addOn: string): FleetCell {
  const reported = state.addOns.get(clusterName)?.get(addOn);
  return reported === undefined ? ABSENT_CELL : cellOfAddOn(state, reported, clusterName, addOn);
}

export function questionOf(state: FleetState, { report }: ReportedAddOn, cluster: string, addOn: string): TargetQuestion {
  return { report, cluster, addOn, rollout: state.rollouts.get(addOn), managementAddOn: state.declarations.get(addOn) };
}

export function cellOfAddOn(state: FleetState, reported: ReportedAddOn, clusterName: string, addOn: string): FleetCell {
  const { report } = reported;
  const isHere = isReachable(state, clusterName);
  const target = targetVersion(questionOf(state, reported, clusterName, addOn));
  const key = `${isHere ? '+' : '-'}${target}`;
  const known = CELLS.get(report) ?? new Map<string, FleetCell>();
  const found = known.get(key);
  if (found) return found;
  const { state: cellState, cause } = stateOf(report, isHere);
  const version = report.version === UNKNOWN_VERSION ? '' : report.version;
  const cell: FleetCell = {
    state: cellState,
    version: clipText(version, MAX_WORD),
    target: clipText(target, MAX_WORD),
    reason: cause === undefined ? '' : shortReason(cause),
  };
  known.set(key, cell);
  CELLS.set(report, known);
  return cell;
}

/** The version of a revision in the record. */
export function versionOf({ status }: AddOnRollout, revision: number | undefined): string | undefined {
  return revisionIn(status?.history, revision)?.version;
}
