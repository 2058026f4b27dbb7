import { type AddOnRolloutStatus, UNKNOWN_VERSION } from '@outrigger/api';
import { findCondition, parseTime } from '@outrigger/core';
import { type Tally, tally } from '@outrigger/kube';
import type { AddOnProjection, ClusterProjection } from '@outrigger/rules/observed';
import { addOns } from './resources/add-ons.js';
import { type LifecycleProjection, clusterLifecycles } from './resources/cluster-lifecycle.js';
import { clusters } from './resources/clusters.js';
import { rollouts } from './resources/rollouts.js';
import { works } from './resources/works.js';
import { isHalted, isPinned } from '@outrigger/rules/rollout';
import { isCurrent } from '@outrigger/rules/works';

/** The state by which an add-on on a cluster is counted: the most urgent state that applies. */
export type AddOnHealth = 'deleting' | 'failed' | 'progressing' | 'unavailable' | 'unknown' | 'degraded' | 'available';

/** The state by which a cluster is counted. */
export type ClusterReachability = 'deleting' | 'not-accepted' | 'not-joined' | 'unreachable' | 'unavailable' | 'available';

const COUNTERS = ['selected', 'done', 'progressing', 'failed', 'skipped'] as const satisfies readonly (keyof AddOnRolloutStatus)[];

/**
 * Gauges for the fleet. Their labels name add-ons, states and versions, but never clusters, so that the number of series does not grow with
 * the fleet.
 */
export const fleetTallies: readonly Tally[] = [
  tally({
    resource: addOns,
    gauge: { name: 'outrigger_addons', help: 'Add-ons on clusters by state and version.', labels: ['addon', 'state', 'version'] },
    series: (clusterAddOn) => [
      { labels: { addon: clusterAddOn.key.name, state: addOnHealth(clusterAddOn), version: versionOf(clusterAddOn) }, value: 1 },
    ],
  }),
  tally({
    resource: clusters,
    gauge: { name: 'outrigger_clusters', help: 'Managed clusters by reachability.', labels: ['state'] },
    series: (cluster) => [{ labels: { state: clusterReachability(cluster) }, value: 1 }],
  }),
  tally({
    resource: clusterLifecycles,
    gauge: {
      name: 'outrigger_cluster_certificate_expiry_seconds',
      help: 'Unix time at which the first certificate of an accepted cluster expires.',
      labels: [],
    },
    series: (cluster) => {
      const expiry = certificateExpiry(cluster);
      return expiry === undefined ? [] : [{ labels: {}, value: expiry }];
    },
    isLeast: true,
  }),
  tally({
    resource: rollouts,
    gauge: { name: 'outrigger_rollouts', help: 'Rollouts by state; 1 for the state a rollout is in.', labels: ['addon', 'state'] },
    series: ({ key, status }) => (status.state === undefined ? [] : [{ labels: { addon: key.name, state: status.state }, value: 1 }]),
  }),
  tally({
    resource: rollouts,
    gauge: {
      name: 'outrigger_rollout_halted',
      help: 'Entries of a rollout that have halted because too many clusters failed, also while the rollout is paused.',
      labels: ['addon'],
    },
    series: ({ key, status }) => {
      const value = haltedEntries(status);
      return value === 0 ? [] : [{ labels: { addon: key.name }, value }];
    },
  }),
  tally({
    resource: rollouts,
    gauge: {
      name: 'outrigger_rollout_clusters',
      help: 'Clusters of a rollout: selected, done, progressing, failed, and skipped because they are away.',
      labels: ['addon', 'phase'],
    },
    series: ({ key, status }) => COUNTERS.map((phase) => ({ labels: { addon: key.name, phase }, value: status[phase] ?? 0 })),
  }),
  tally({
    resource: rollouts,
    gauge: { name: 'outrigger_removals_waiting', help: 'Removals of add-ons that wait for a confirmation.', labels: ['addon'] },
    series: ({ key, status: { pendingRemoval } }) =>
      pendingRemoval === undefined ? [] : [{ labels: { addon: key.name }, value: pendingRemoval.count }],
  }),
  tally({
    resource: rollouts,
    gauge: { name: 'outrigger_rollout_held', help: '1 for a rollout that a stored revision holds.', labels: ['addon'] },
    series: ({ key, spec }) => (isPinned(spec) ? [{ labels: { addon: key.name }, value: 1 }] : []),
  }),
  tally({
    resource: rollouts,
    gauge: {
      name: 'outrigger_rollout_waiting',
      help: 'Clusters that gates of rollout policies hold, by kind of gate.',
      labels: ['add_on', 'entry', 'kind'],
    },
    series: ({ key, status: { entries = [] } }) =>
      entries.flatMap(({ name: entry, waitingFor = [] }) =>
        [...new Set(waitingFor.map(({ kind }) => kind))].map((kind) => ({
          labels: { add_on: key.name, entry, kind },
          value: waitingFor.filter((wait) => wait.kind === kind).reduce((sum, { clusters = 0 }) => sum + clusters, 0),
        })),
      ),
  }),
  tally({
    resource: works,
    gauge: { name: 'outrigger_works_refused', help: 'Works whose agent could not apply a manifest.', labels: ['addon'] },
    series: (work) =>
      work.applied?.status === 'False' && isCurrent(work, work.applied) ? [{ labels: { addon: work.addOnName }, value: 1 }] : [],
  }),
];

/** The number of halted entries. A halted entry counts even while the rollout is paused. */
export function haltedEntries({ entries = [] }: Pick<AddOnRolloutStatus, 'entries'>): number {
  return entries.filter(isHalted).length;
}

export function addOnHealth({ isDeleting, status: { conditions } }: Pick<AddOnProjection, 'isDeleting' | 'status'>): AddOnHealth {
  if (isDeleting) return 'deleting';
  const progressing = findCondition(conditions, 'Progressing');
  if (progressing?.reason === 'Failed') return 'failed';
  if (progressing?.status === 'True') return 'progressing';
  const available = findCondition(conditions, 'Available')?.status;
  if (available === 'False') return 'unavailable';
  if (available !== 'True') return 'unknown';
  return findCondition(conditions, 'Degraded')?.status === 'True' ? 'degraded' : 'available';
}

export function clusterReachability({
  isDeleting,
  isAccepted,
  hasJoined,
  available,
}: Pick<ClusterProjection, 'isDeleting' | 'isAccepted' | 'hasJoined' | 'available'>): ClusterReachability {
  if (isDeleting) return 'deleting';
  if (!isAccepted) return 'not-accepted';
  if (!hasJoined) return 'not-joined';
  if (available?.status === 'True') return 'available';
  return available?.status === 'False' ? 'unavailable' : 'unreachable';
}

/**
 * Finds the expiry time in the message of the condition ClusterCertificateRotated, in which agents report the lifetime of each certificate.
 */
const CERTIFICATE_END = / to (\S+)$/;

/** The Unix time in seconds at which the certificate of a cluster expires, rounded up to a minute; undefined if its agent reports none. */
export function certificateExpiry({
  accepts,
  isDeleting,
  conditions,
}: Pick<LifecycleProjection, 'accepts' | 'isDeleting' | 'conditions'>): number | undefined {
  if (!accepts || isDeleting) return undefined;
  const { message = '' } = findCondition(conditions, 'ClusterCertificateRotated') ?? {};
  const end = parseTime(CERTIFICATE_END.exec(message)?.[1]);
  return end === undefined ? undefined : Math.ceil(end / 60_000) * 60;
}

/** The running version; during a move, the version that the add-on moves to. */
function versionOf({ status: { currentVersion, installVersion } }: AddOnProjection): string {
  return (currentVersion === UNKNOWN_VERSION ? installVersion : currentVersion) ?? '';
}
