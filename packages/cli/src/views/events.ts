import { type Kind, type KubeObject, parseApiVersion } from '@outrigger/core';
import { ADDON_GROUP, CLUSTER_GROUP, OUTRIGGER_GROUP, WORK_GROUP, isFleetNamespace, mayReport } from '@outrigger/api';
import { age } from '../terminal/age.js';
import type { TableColumn } from '../terminal/table.js';

/** A core/v1 Event, as the hub and its agents write it. */
export interface FleetEvent extends KubeObject {
  readonly involvedObject: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string; readonly namespace?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
}

export const EVENTS: Kind<FleetEvent> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

const GROUPS: readonly string[] = [ADDON_GROUP, CLUSTER_GROUP, OUTRIGGER_GROUP, WORK_GROUP];

/** Whether the Event is about an add-on, a cluster, a rollout or a work, and its writer may report about this object. */
export function isFleetEvent({ metadata, involvedObject, reason }: FleetEvent): boolean {
  const isOurs = GROUPS.includes(parseApiVersion(involvedObject.apiVersion ?? '').group) || reason === 'ClusterGone';
  return isOurs && mayReport(metadata.namespace, involvedObject);
}

/** Whether the Event is about the cluster or an object in its namespace. */
export function isAboutCluster({ metadata: { namespace = '' }, involvedObject }: FleetEvent, cluster: string): boolean {
  return namespace === cluster || (isFleetNamespace(namespace) && involvedObject.name === cluster);
}

/** Returns when the Event was last seen. Events that were written in the API group events.k8s.io have no `lastTimestamp`. */
export function lastSeen({ lastTimestamp, metadata }: FleetEvent): string | undefined {
  return lastTimestamp ?? metadata.creationTimestamp;
}

export function eventColumns(nowMs: number): readonly TableColumn<FleetEvent>[] {
  return [
    { title: 'LAST SEEN', cell: (event) => age(lastSeen(event), nowMs) },
    { title: 'TYPE', cell: ({ type }) => (type === 'Warning' ? { text: type, as: 'warn' } : type) },
    { title: 'REASON', cell: ({ reason }) => reason },
    { title: 'OBJECT', cell: ({ involvedObject }) => objectName(involvedObject), isShortened: true },
    { title: 'COUNT', cell: ({ count }) => String(count ?? 1), dropAt: 1 },
    { title: 'MESSAGE', cell: ({ message }) => message, isShortened: true },
  ];
}

function objectName({ kind = '', namespace, name = '' }: FleetEvent['involvedObject']): string {
  return `${kind.toLowerCase()}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
