import { type AddOnRollout, type ManagedCluster, UNKNOWN_VERSION } from '@outrigger/api';
import { findCondition, memoize } from '@outrigger/core';
import { ABSENT_CELL, type CellState, type ClusterState, type FleetCell, type FleetRow } from '@outrigger/console-contract';
import { revisionIn } from '@outrigger/rules/revisions';
import type { AddOnRecord, Report, ReportedCondition } from '../state/records.js';
import type { FleetState } from '../state/state.js';
import { type TargetQuestion, targetVersion } from '../state/targets.js';

/** State and reason of an add-on on a cluster, in the order of the steps of `outrigger why`. */
export function stateOf(report: Report, isReachable: boolean): { readonly state: CellState; readonly cause?: ReportedCondition } {
  const { available, degraded, progressing, configured, manifestApplied, registrationApplied } = report;
  if (report.isDeleting) return { state: 'removing' };
  if (!isReachable) return { state: 'unreachable' };
  if (configured?.status === 'False' && configured.reason !== 'ConfigurationsNotConfigured') return { state: 'failed', cause: configured };
  if (progressing?.reason === 'Failed') return { state: 'failed', cause: progressing };
  if (registrationApplied?.reason === 'SetPermissionFailed') return { state: 'failed', cause: registrationApplied };
  if (manifestApplied?.status === 'False') return { state: 'failed', cause: manifestApplied };
  if (degraded?.status === 'True' && degraded.reason === 'RequiredDependencyNotSatisfied') return { state: 'blocked', cause: degraded };
  if (progressing?.status === 'True') return { state: 'progressing' };
  if (configured === undefined || configured.reason === 'ConfigurationsNotConfigured') return { state: 'waiting' };
  if (available === undefined) return { state: 'waiting' };
  if (available.status === 'Unknown') return { state: 'unknown', cause: available };
  if (available.status === 'False') return { state: 'unavailable', cause: available };
  return degraded?.status === 'True' ? { state: 'degraded', cause: degraded } : { state: 'available' };
}

/** Reasons of containers and of Kubernetes that tell a person more than the reason of the condition that quotes them. */
const QUOTED =
  /\b(ImagePullBackOff|ErrImagePull|InvalidImageName|CrashLoopBackOff|OOMKilled|CreateContainerConfigError|Unschedulable|ProgressDeadlineExceeded|QuotaExceeded|Forbidden|NotFound)\b/;

export function shortReason({ reason, message }: ReportedCondition): string {
  return QUOTED.exec(message)?.[1] ?? reason;
}

const reachable: (cluster: ManagedCluster) => boolean = memoize(({ status }: ManagedCluster) => {
  const available = findCondition(status?.conditions, 'ManagedClusterConditionAvailable');
  return available === undefined || available.status === 'True';
});

/** A cluster that has not reported, or that is not known, does not count as unreachable. */
export function isReachable(cluster: ManagedCluster | undefined): boolean {
  return cluster === undefined || reachable(cluster);
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
    labels: cluster?.metadata.labels ?? {},
    kubernetes: cluster?.status?.version?.kubernetes ?? '',
  };
}

const CELLS = new WeakMap<Report, Map<string, FleetCell>>();

/** The cell of an add-on on a cluster. Equal reports share one cell. */
export function cellOf(state: FleetState, clusterName: string, addOn: string): FleetCell {
  const record = state.addOns.get(clusterName)?.get(addOn);
  return record === undefined ? ABSENT_CELL : cellOfRecord(state, record, clusterName, addOn);
}

export function questionOf(state: FleetState, { report }: AddOnRecord, cluster: string, addOn: string): TargetQuestion {
  return { report, cluster, addOn, rollout: state.rollouts.get(addOn), declaration: state.declarations.get(addOn) };
}

export function cellOfRecord(state: FleetState, record: AddOnRecord, clusterName: string, addOn: string): FleetCell {
  const { report } = record;
  const isHere = isReachable(state.clusters.get(clusterName));
  const target = targetVersion(questionOf(state, record, clusterName, addOn));
  const key = `${isHere ? '+' : '-'}${target}`;
  const known = CELLS.get(report) ?? new Map<string, FleetCell>();
  const found = known.get(key);
  if (found) return found;
  const { state: cellState, cause } = stateOf(report, isHere);
  const version = report.version === UNKNOWN_VERSION ? '' : report.version;
  const cell: FleetCell = { state: cellState, version, target, reason: cause === undefined ? '' : shortReason(cause) };
  known.set(key, cell);
  CELLS.set(report, known);
  return cell;
}

/** The version of a revision in the record. */
export function versionOf({ status }: AddOnRollout, revision: number | undefined): string | undefined {
  return revisionIn(status?.history, revision)?.version;
}
