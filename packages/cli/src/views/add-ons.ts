import type { AddOnRollout, ClusterManagementAddOn, ManagedCluster, ManagedClusterAddOn } from '@outrigger/api';
import { findCondition, nameOf } from '@outrigger/core';
import { brokenStep } from '@outrigger/rules/why';
import { age } from '../terminal/age.js';
import type { Cell, TableColumn } from '../terminal/table.js';
import { degradedCell, progressCell, statusCell, unconfigured } from './conditions.js';
import { type RolloutState, UNRESOLVED, failedClusters, rolloutState, unresolvedText } from './rollout-state.js';
import { fleetVersions, versionText } from './versions.js';

export interface AddOnRow {
  readonly name: string;
  readonly displayName: string;
  readonly strategy: string;
  /** The version that runs; the declared default version if no cluster has the add-on. */
  readonly version: string;
  /** The version of the revision to which a rollback pinned every cluster. It overrides the declared version. */
  readonly pinnedAt: string | undefined;
  readonly installed: number;
  readonly available: number;
  readonly progressing: number;
  readonly failed: number;
  readonly degraded: number;
  readonly state: RolloutState | undefined;
  readonly createdAt: string | undefined;
}

export interface AddOnInput {
  readonly declared: readonly ClusterManagementAddOn[];
  readonly installed: readonly ManagedClusterAddOn[];
  readonly rollouts: readonly AddOnRollout[];
  readonly clusters: readonly ManagedCluster[];
}

/** Returns one row per add-on, with its state across the fleet. */
export function addOnRows({ declared, installed, rollouts }: AddOnInput): readonly AddOnRow[] {
  const byName = new Map<string, ManagedClusterAddOn[]>();
  for (const clusterAddOn of installed) byName.set(nameOf(clusterAddOn), [...(byName.get(nameOf(clusterAddOn)) ?? []), clusterAddOn]);
  const rolloutOf = new Map(rollouts.map((rollout) => [nameOf(rollout), rollout]));
  return [...declared]
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((managementAddOn) => {
      const here = byName.get(nameOf(managementAddOn)) ?? [];
      const count = (matches: (one: ManagedClusterAddOn) => boolean): number => here.filter(matches).length;
      return {
        name: nameOf(managementAddOn),
        displayName: managementAddOn.spec.addOnMeta?.displayName ?? '',
        strategy: managementAddOn.spec.installStrategy?.type ?? 'Manual',
        version: fleetVersions(here) || (managementAddOn.status?.defaultVersion ?? ''),
        pinnedAt: pinnedVersion(rolloutOf.get(nameOf(managementAddOn))),
        installed: here.length,
        available: count((one) => findCondition(one.status?.conditions, 'Available')?.status === 'True'),
        progressing: count((one) => findCondition(one.status?.conditions, 'Progressing')?.status === 'True'),
        failed: count(hasFailed),
        degraded: count((one) => findCondition(one.status?.conditions, 'Degraded')?.status === 'True'),
        state: stateOf(rolloutOf.get(nameOf(managementAddOn)), managementAddOn),
        createdAt: managementAddOn.metadata.creationTimestamp,
      };
    });
}

/**
 * Whether Configured, Progressing, RegistrationApplied or ManifestApplied reports a failure. The console counts the same add-ons as failed,
 * except on unreachable clusters.
 */
function hasFailed({ status }: ManagedClusterAddOn): boolean {
  return brokenStep((type) => findCondition(status?.conditions, type)) !== undefined;
}

/** The state of the rollout. The rollout needs attention if not all clusters of the add-on are known. */
function stateOf(rollout: AddOnRollout | undefined, managementAddOn: ClusterManagementAddOn): RolloutState | undefined {
  if (!rollout) return undefined;
  const state = rolloutState(rollout);
  return unresolvedText(managementAddOn) === undefined ? state : { ...state, text: `${state.text}, ${UNRESOLVED}`, as: 'bad' };
}

function pinnedVersion(rollout: AddOnRollout | undefined): string | undefined {
  const pinned = rollout?.spec?.pinnedRevision;
  if (pinned === undefined) return undefined;
  return rollout?.status?.history?.find(({ revision }) => revision === pinned)?.version ?? `revision ${pinned}`;
}

export function addOnColumns(nowMs: number): readonly TableColumn<AddOnRow>[] {
  return [
    { title: 'NAME', cell: ({ name }) => name, isShortened: true },
    { title: 'DISPLAY NAME', cell: ({ displayName }) => displayName, wide: true },
    { title: 'STRATEGY', cell: ({ strategy }) => strategy, dropAt: 2 },
    { title: 'VERSION', cell: versionCell, isShortened: true },
    { title: 'CLUSTERS', cell: ({ installed }) => String(installed), dropAt: 3 },
    { title: 'AVAILABLE', cell: ({ available, installed }) => share(available, installed) },
    { title: 'PROGRESSING', cell: ({ progressing }) => String(progressing), dropAt: 4 },
    { title: 'FAILED', cell: ({ failed }) => (failed > 0 ? { text: String(failed), as: 'bad' } : '0') },
    { title: 'DEGRADED', cell: ({ degraded }) => (degraded > 0 ? { text: String(degraded), as: 'warn' } : '0') },
    { title: 'ROLLOUT', cell: ({ state }) => state && { text: state.text, as: state.as } },
    { title: 'AGE', cell: ({ createdAt }) => age(createdAt, nowMs), dropAt: 1 },
  ];
}

function versionCell({ version, pinnedAt, installed }: AddOnRow): Cell {
  if (pinnedAt === undefined) return version;
  return { text: version === pinnedAt || installed === 0 ? `${pinnedAt} (pinned)` : `${version} (pinned at ${pinnedAt})`, as: 'warn' };
}

/** Returns the columns for one add-on on each cluster: those of `kubectl get managedclusteraddons`, and more with `-o wide`. */
export function installedColumns(nowMs: number): readonly TableColumn<ManagedClusterAddOn>[] {
  return [
    { title: 'CLUSTER', cell: ({ metadata }) => metadata.namespace, isShortened: true },
    { title: 'ADDON', cell: ({ metadata }) => metadata.name, isShortened: true },
    { title: 'VERSION', cell: versionText, isShortened: true },
    { title: 'AVAILABLE', cell: ({ status }) => statusCell(status?.conditions, 'Available') },
    { title: 'DEGRADED', cell: ({ status }) => degradedCell(status?.conditions) },
    { title: 'PROGRESSING', cell: ({ status }) => progressCell(status?.conditions) },
    { title: 'CONFIGURED', cell: ({ status }) => statusCell(status?.conditions, 'Configured'), wide: true },
    { title: 'LAST VERSION', cell: ({ status }) => status?.lastVersion, wide: true },
    { title: 'NAMESPACE', cell: ({ status }) => status?.namespace, wide: true },
    { title: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, nowMs), dropAt: 1 },
    { title: 'MESSAGE', cell: (clusterAddOn) => troubleOf(clusterAddOn), wide: true },
  ];
}

/** Returns the most important message if the add-on is progressing, degraded or not available. */
function troubleOf({ status }: ManagedClusterAddOn): string | undefined {
  const conditions = status?.conditions;
  if (unconfigured(conditions) !== undefined) return findCondition(conditions, 'Configured')?.message;
  const progressing = findCondition(conditions, 'Progressing');
  if (progressing?.reason === 'Failed' || progressing?.status === 'True') return progressing.message;
  const degraded = findCondition(conditions, 'Degraded');
  if (degraded?.status === 'True') return degraded.message;
  const available = findCondition(conditions, 'Available');
  return available && available.status !== 'True' ? available.message : undefined;
}

function share(part: number, whole: number): Cell {
  if (whole === 0) return '0/0';
  return { text: `${part}/${whole}`, as: part === whole ? 'good' : 'warn' };
}

/** Whether an add-on is healthy on every cluster that has it, and its rollout needs no attention. */
export function isAddOnWell({ available, installed, failed, degraded, state }: AddOnRow): boolean {
  return available === installed && failed === 0 && degraded === 0 && (state === undefined || state.as === 'good');
}

/** Returns a predicate for add-ons that are healthy on their cluster, and whose rollout did not fail there. */
export function wellIn(
  rollouts: readonly AddOnRollout[],
  installed: readonly ManagedClusterAddOn[],
): (clusterAddOn: ManagedClusterAddOn) => boolean {
  const failed = new Map(
    rollouts.map((rollout) => {
      const own = installed.filter((one) => nameOf(one) === nameOf(rollout));
      return [nameOf(rollout), new Set((rollout.status?.entries ?? []).flatMap((entry) => failedClusters(entry, own)))];
    }),
  );
  return (one) => isInstalledWell(one) && !failed.get(nameOf(one))?.has(one.metadata.namespace ?? '');
}

/** Whether an add-on on one cluster is available and not degraded, and none of its steps failed. */
export function isInstalledWell(clusterAddOn: ManagedClusterAddOn): boolean {
  const conditions = clusterAddOn.status?.conditions;
  return (
    findCondition(conditions, 'Available')?.status === 'True' &&
    findCondition(conditions, 'Degraded')?.status !== 'True' &&
    !hasFailed(clusterAddOn)
  );
}
