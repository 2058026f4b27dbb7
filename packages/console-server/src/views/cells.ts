import type { AddOnRollout, ManagedCluster, RolloutEntry } from '@outrigger/api';
import { EVERY_CLUSTER, UNKNOWN_VERSION } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { ABSENT_CELL, type CellState, type ClusterState, type FleetCell, type FleetRow } from '@outrigger/console-contract';
import type { AddOnRecord, Report, ReportedCondition } from '../state/records.js';
import type { FleetState } from '../state/state.js';

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

/** Reasons of containers and Kubernetes that are worth more than the reason of the condition that quotes them. */
const QUOTED =
  /\b(ImagePullBackOff|ErrImagePull|InvalidImageName|CrashLoopBackOff|OOMKilled|CreateContainerConfigError|Unschedulable|ProgressDeadlineExceeded|QuotaExceeded|Forbidden|NotFound)\b/;

export function shortReason({ reason, message }: ReportedCondition): string {
  return QUOTED.exec(message)?.[1] ?? reason;
}

export function isReachable(cluster: ManagedCluster | undefined): boolean {
  const available = findCondition(cluster?.status?.conditions, 'ManagedClusterConditionAvailable');
  return available === undefined || available.status === 'True';
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

export function cellOfRecord(state: FleetState, { report }: AddOnRecord, clusterName: string, addOn: string): FleetCell {
  const reachable = isReachable(state.clusters.get(clusterName));
  const target = targetVersion(state, report, clusterName, addOn);
  const key = `${reachable ? '+' : '-'}${target}`;
  const known = CELLS.get(report) ?? new Map<string, FleetCell>();
  const found = known.get(key);
  if (found) return found;
  const { state: cellState, cause } = stateOf(report, reachable);
  const version = report.version === UNKNOWN_VERSION ? '' : report.version;
  const cell: FleetCell = { state: cellState, version, target, reason: cause === undefined ? '' : shortReason(cause) };
  known.set(key, cell);
  CELLS.set(report, known);
  return cell;
}

/** The version that the cluster is to have: its own, or that of the target of its entry. */
function targetVersion(state: FleetState, report: Report, cluster: string, addOn: string): string {
  const rollout = state.rollouts.get(addOn);
  const entry = rollout && entryOfCluster(rollout, cluster);
  const target = entry && versionOf(rollout, entry.targetRevision);
  if (rollout?.spec?.pinnedRevision !== undefined) return target ?? '';
  return report.askedVersion || (target ?? state.declarations.get(addOn)?.status?.defaultVersion ?? '');
}

export function versionOf(rollout: AddOnRollout, revision: number | undefined): string | undefined {
  return rollout.status?.history?.find((one) => one.revision === revision)?.version;
}

const ENTRIES = new WeakMap<AddOnRollout, ReadonlyMap<string, RolloutEntry>>();

/** The entry that the record of the rollout names the cluster in; the default entry otherwise. */
export function entryOfCluster(rollout: AddOnRollout, cluster: string): RolloutEntry | undefined {
  let byCluster = ENTRIES.get(rollout);
  if (byCluster === undefined) {
    const entries = rollout.status?.entries ?? [];
    byCluster = new Map(
      entries.flatMap((entry) =>
        [...(entry.members ?? []), ...(entry.inFlight ?? []).map((one) => one.cluster)]
          .filter((name) => name !== EVERY_CLUSTER)
          .map((name) => [name, entry] as const),
      ),
    );
    ENTRIES.set(rollout, byCluster);
  }
  const entries = rollout.status?.entries ?? [];
  return byCluster.get(cluster) ?? entries.find(({ name }) => name === 'default') ?? (entries.length === 1 ? entries[0] : undefined);
}
