import { CLUSTER_LEASE_NAME, type Lease, leases } from '@outrigger/api';
import { parseTime, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base } from '@outrigger/rules/observed';

/** The Lease that a cluster's agent renews. The name of its namespace is the name of the cluster. */
export interface ClusterLeaseProjection extends Projected {
  /** When the agent last renewed the Lease, on the agent's clock; undefined if it never renewed the Lease. */
  readonly renewedAt: number | undefined;
  /**
   * When the API server stored the last write of the Lease, on the server's clock, in whole seconds; undefined if the server does not
   * report the time.
   */
  readonly writtenAt: number | undefined;
}

/**
 * The time for which a watch collects renewals before it reads them together. Agents renew their Leases once a minute and have a grace
 * period of minutes, so half a second does not matter. In a fleet of 10,000 clusters, agents renew 167 Leases per second.
 */
const GATHER_MS = 500;

export const clusterLeases: Resource<ClusterLeaseProjection> = {
  name: 'cluster-leases',
  api: HUB,
  kind: leases,
  fieldSelector: `metadata.name=${CLUSTER_LEASE_NAME}`,
  gatherMs: GATHER_MS,
  project(object, intern) {
    const { metadata, spec } = object as Lease;
    const writes = (metadata.managedFields ?? []).flatMap(({ time }) => parseTime(time) ?? []);
    return {
      renewedAt: parseTime(spec?.renewTime),
      writtenAt: writes.length > 0 ? Math.max(...writes) : undefined,
      ...base(object, intern),
    };
  },
  indexes: {},
};
