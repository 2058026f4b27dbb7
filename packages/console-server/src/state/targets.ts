import type { AddOnRollout, ClusterManagementAddOn, RolloutEntry } from '@outrigger/api';
import { homeOf } from '@outrigger/rules/observed';
import { entryRevision, assignedTarget, revisionIn } from '@outrigger/rules/revisions';
import { defaultEntry } from '@outrigger/rules/strategy';
import type { Report } from './projections.js';

/** One add-on on one cluster, with the inputs that determine its target. */
export interface TargetQuestion {
  readonly report: Report;
  readonly cluster: string;
  readonly addOn: string;
  readonly rollout: AddOnRollout | undefined;
  readonly managementAddOn: ClusterManagementAddOn | undefined;
}

/** The home of the cluster, or the default entry if no entry lists the cluster. */
export function entryOfCluster(rollout: AddOnRollout, cluster: string): RolloutEntry | undefined {
  const { status = {} } = rollout;
  return homeOf(status, cluster) ?? status.entries?.find(({ name }) => name === defaultEntry.name);
}

/**
 * The version that the cluster should have. If a user set a version for the cluster and the rollout is not pinned to one revision, it is
 * that version. In all other cases it is the version of the target of the cluster's entry.
 */
export function targetVersion({ report, cluster, rollout, managementAddOn }: TargetQuestion): string {
  const entry = rollout && entryOfCluster(rollout, cluster);
  const target = entry && revisionIn(rollout.status?.history, entryRevision(entry, report.observed));
  const entryVersion = target?.version ?? managementAddOn?.status?.defaultVersion ?? '';
  return rollout?.spec?.pinnedRevision === undefined && report.ownVersion !== '' ? report.ownVersion : entryVersion;
}

/** The revision that the hub assigned to the cluster; undefined if the record names none. */
export function assignedRevision({ report, cluster, addOn, rollout }: TargetQuestion): number | undefined {
  const entry = rollout && entryOfCluster(rollout, cluster);
  if (rollout?.status === undefined || entry === undefined) return report.observed.revision;
  return assignedTarget(rollout.status, observed(report, cluster, addOn), entry.name)?.revision;
}

function observed(report: Report, cluster: string, addOn: string): Report['observed'] {
  return { ...report.observed, key: { namespace: cluster, name: addOn } };
}
