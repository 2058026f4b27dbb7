import type { KubeObject } from '@outrigger/core';

type Read = (object: KubeObject) => string;

/** The fields that selectors may use on a real server, by resource. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  '/events': [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'events.k8s.io/events': [
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'regarding.apiVersion',
    'regarding.resourceVersion',
    'regarding.fieldPath',
    'reason',
    'reportingController',
    'type',
  ],
  '/namespaces': ['status.phase'],
  '/nodes': ['spec.unschedulable'],
  '/secrets': ['type'],
  '/services': ['spec.clusterIP', 'spec.type'],
  '/replicationcontrollers': ['status.replicas'],
  'batch/jobs': ['status.successful'],
  'certificates.k8s.io/certificatesigningrequests': ['spec.signerName'],
};

/** Fields whose path differs from their name. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  source: ['source', 'component'],
  'status.successful': ['status', 'succeeded'],
};

export function selectableFieldsOf(group: string, plural: string): ReadonlyMap<string, Read> {
  const names = FIELDS[`${group}/${plural}`] ?? [];
  return new Map(names.map((name) => [name, readPath(ALIASES[name] ?? name.split('.'))]));
}

/** Returns a function that reads a field as text for selectors. The text is empty if the object does not have the field. */
export function readPath(path: readonly string[]): Read {
  return (object) => {
    let value: unknown = object;
    for (const step of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return '';
      value = (value as Record<string, unknown>)[step];
    }
    return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
  };
}
