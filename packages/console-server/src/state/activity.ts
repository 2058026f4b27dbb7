import { ADDON_GROUP, CLUSTER_GROUP, mayReport } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { ActivityItem, ObjectLink } from '@outrigger/console-contract';

/** The fields of a `v1` Event that the activity shows. */
export interface CoreEvent extends KubeObject {
  readonly involvedObject: { readonly apiVersion?: string; readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly reportingComponent?: string;
  readonly source?: { readonly component?: string };
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

/** Kinds whose Events belong to the activity. */
export const ACTIVITY_KINDS = ['ClusterManagementAddOn', 'ManagedClusterAddOn', 'ManagedCluster'] as const;

/** Returns the item for an Event; undefined if the Event is not about an object of the fleet, or if its writer may not report about it. */
export function activityItem(event: CoreEvent, id: string): ActivityItem | undefined {
  const { kind, name, namespace } = event.involvedObject;
  if (name === undefined || !mayReport(event.metadata.namespace, event.involvedObject)) return undefined;
  const at = event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
  const item = {
    id,
    at,
    type: event.type === 'Warning' ? ('Warning' as const) : ('Normal' as const),
    reason: event.reason ?? '',
    message: event.message ?? '',
    by: event.reportingComponent || (event.source?.component ?? ''),
    count: event.series?.count ?? event.count ?? 1,
  };
  const link = (group: string, version: string, resource: string): ObjectLink => ({
    group,
    version,
    resource,
    name,
    ...(namespace === undefined || resource !== 'managedclusteraddons' ? {} : { namespace }),
  });
  switch (kind) {
    case 'ClusterManagementAddOn':
      return { ...item, addOn: name, object: link(ADDON_GROUP, 'v1alpha1', 'clustermanagementaddons') };
    case 'ManagedClusterAddOn':
      return { ...item, addOn: name, cluster: namespace ?? '', object: link(ADDON_GROUP, 'v1alpha1', 'managedclusteraddons') };
    case 'ManagedCluster':
      return { ...item, cluster: name, object: link(CLUSTER_GROUP, 'v1', 'managedclusters') };
    default:
      return undefined;
  }
}
