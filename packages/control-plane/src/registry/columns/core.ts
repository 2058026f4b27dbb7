import { parseTime } from '@outrigger/core';
import { fieldsOf, isFields, listOf, numberOf, textOf, type Fields } from '../draft.js';
import type { Column } from '../resource.js';
import { ageColumn, at, column, nameColumn, selectorText, since, wide } from './common.js';

const EMPTY = { none: '' } as const;
const members = (object: Fields, field: string): number => Object.keys(fieldsOf(object, field)).length;

export const configMapColumns: readonly Column[] = [
  nameColumn,
  column('Data', (object) => members(object, 'data') + members(object, 'binaryData')),
  ageColumn,
];

export const secretColumns: readonly Column[] = [
  nameColumn,
  column('Type', (object) => object['type']),
  column('Data', (object) => members(object, 'data')),
  ageColumn,
];

export const namespaceColumns: readonly Column[] = [nameColumn, column('Status', (object) => at(object, 'status', 'phase')), ageColumn];

export const serviceColumns: readonly Column[] = [
  nameColumn,
  column('Type', (object) => at(object, 'spec', 'type')),
  column('Cluster-IP', (object) => at(object, 'spec', 'clusterIP')),
  column('External-IP', externalAddress),
  column('Port(s)', ports),
  ageColumn,
  wide('Selector', (object) => selectorText(at(object, 'spec', 'selector'))),
];

function externalAddress(service: Fields): string {
  const spec = fieldsOf(service, 'spec');
  if (spec['type'] === 'ExternalName') return textOf(spec, 'externalName') ?? '';
  const given = Array.isArray(spec['externalIPs']) ? spec['externalIPs'].map(String) : [];
  const balanced = listOf(fieldsOf(fieldsOf(service, 'status'), 'loadBalancer'), 'ingress').map((entry) =>
    String(entry['ip'] ?? entry['hostname']),
  );
  const addresses = [...balanced, ...given];
  return addresses.length === 0 && spec['type'] === 'LoadBalancer' ? '<pending>' : addresses.join(',');
}

function ports(service: Fields): string {
  return listOf(fieldsOf(service, 'spec'), 'ports')
    .map((port) => `${String(port['port'])}${port['nodePort'] ? `:${String(port['nodePort'])}` : ''}/${String(port['protocol'])}`)
    .join(',');
}

export const nodeColumns: readonly Column[] = [
  nameColumn,
  column('Status', nodeStatus),
  column('Roles', nodeRoles),
  ageColumn,
  column('Version', (node) => at(node, 'status', 'nodeInfo', 'kubeletVersion')),
  wide('Internal-IP', (node) => address(node, 'InternalIP')),
  wide('External-IP', (node) => address(node, 'ExternalIP')),
  wide('OS-Image', (node) => at(node, 'status', 'nodeInfo', 'osImage') ?? '<unknown>'),
  wide('Kernel-Version', (node) => at(node, 'status', 'nodeInfo', 'kernelVersion') ?? '<unknown>'),
  wide('Container-Runtime', (node) => at(node, 'status', 'nodeInfo', 'containerRuntimeVersion') ?? '<unknown>'),
];

function nodeStatus(node: Fields): string {
  const ready = listOf(fieldsOf(node, 'status'), 'conditions').find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

function nodeRoles(node: Fields): string {
  const prefix = 'node-role.kubernetes.io/';
  const labels = Object.keys(fieldsOf(fieldsOf(node, 'metadata'), 'labels'));
  return labels
    .filter((label) => label.startsWith(prefix))
    .map((label) => label.slice(prefix.length))
    .sort()
    .join(',');
}

function address(node: Fields, type: string): unknown {
  return listOf(fieldsOf(node, 'status'), 'addresses').find((entry) => entry['type'] === type)?.['address'];
}

/** Returns the columns for events of either group, whose field names differ. */
export function eventColumns(names: {
  readonly object: string;
  readonly message: string;
  readonly first: string;
  readonly last: string;
  readonly count: string;
  readonly source: string;
}): readonly Column[] {
  const seen = (event: Fields, field: string): string | undefined => textOf(event, field) ?? textOf(event, 'eventTime');
  return [
    column('Last Seen', (event, now) => since(lastSeen(event, names.last) ?? seen(event, names.last), now)),
    column('Type', (event) => event['type']),
    column('Reason', (event) => event['reason']),
    column('Object', (event) => {
      const { kind, name } = fieldsOf(event, names.object);
      return `${String(kind ?? '').toLowerCase()}/${String(name ?? '')}`;
    }),
    wide('Subobject', (event) => at(event, names.object, 'fieldPath'), EMPTY),
    wide('Source', (event) => sourceOf(event, names.source), EMPTY),
    column('Message', (event) => String(event[names.message] ?? '').trim()),
    wide('First Seen', (event, now) => since(seen(event, names.first), now)),
    wide('Count', (event) => numberOf(fieldsOf(event, 'series'), 'count') ?? (numberOf(event, names.count) || 1)),
    { ...nameColumn, priority: 1 },
  ];
}

function lastSeen(event: Fields, field: string): string | undefined {
  const times = [textOf(fieldsOf(event, 'series'), 'lastObservedTime'), textOf(event, field)].filter((time) => time !== undefined);
  return times.sort((a, b) => (parseTime(b) ?? 0) - (parseTime(a) ?? 0))[0];
}

/** Returns the reporter of an event and its host. Older events contain them in `source`, newer events in the reporting fields. */
function sourceOf(event: Fields, field: string): string {
  const { component, host } = fieldsOf(event, field);
  const reporter = event['reportingComponent'] ?? event['reportingController'];
  return [component || reporter, host || event['reportingInstance']].filter(Boolean).join(', ');
}

export const claimColumns: readonly Column[] = [
  nameColumn,
  column('Status', (claim) => at(claim, 'status', 'phase')),
  column('Volume', (claim) => at(claim, 'spec', 'volumeName'), EMPTY),
  column('Capacity', (claim) => at(claim, 'status', 'capacity', 'storage'), EMPTY),
  column('Access Modes', (claim) => accessModes(at(claim, 'status', 'accessModes')), EMPTY),
  column('StorageClass', (claim) => at(claim, 'spec', 'storageClassName'), EMPTY),
  column('VolumeAttributesClass', (claim) => at(claim, 'spec', 'volumeAttributesClassName') ?? '<unset>'),
  ageColumn,
  wide('VolumeMode', (claim) => at(claim, 'spec', 'volumeMode')),
];

const ACCESS: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(modes: unknown): string {
  return Array.isArray(modes) ? modes.map((mode) => ACCESS[String(mode)] ?? String(mode)).join(',') : '';
}

export const volumeColumns: readonly Column[] = [
  nameColumn,
  column('Capacity', (volume) => at(volume, 'spec', 'capacity', 'storage')),
  column('Access Modes', (volume) => accessModes(at(volume, 'spec', 'accessModes'))),
  column('Reclaim Policy', (volume) => at(volume, 'spec', 'persistentVolumeReclaimPolicy')),
  column('Status', (volume) => at(volume, 'status', 'phase')),
  column('Claim', (volume) => {
    const { namespace, name } = fieldsOf(fieldsOf(volume, 'spec'), 'claimRef');
    return name === undefined ? '' : `${String(namespace)}/${String(name)}`;
  }),
  column('StorageClass', (volume) => at(volume, 'spec', 'storageClassName')),
  column('VolumeAttributesClass', (volume) => at(volume, 'spec', 'volumeAttributesClassName') ?? '<unset>'),
  column('Reason', (volume) => at(volume, 'status', 'reason')),
  ageColumn,
  wide('VolumeMode', (volume) => at(volume, 'spec', 'volumeMode')),
];

export const endpointColumns: readonly Column[] = [
  nameColumn,
  column('Endpoints', (object) =>
    listOf(object, 'subsets')
      .flatMap((subset) =>
        listOf(subset, 'addresses').flatMap(({ ip }) => listOf(subset, 'ports').map(({ port }) => `${String(ip)}:${String(port)}`)),
      )
      .join(','),
  ),
  ageColumn,
];

/** The usage and limits of a quota, with requests and limits in separate columns, as kubectl shows them. */
export const quotaColumns: readonly Column[] = [
  nameColumn,
  column('Request', (quota) => usage(quota, (name) => !name.startsWith('limits.')), EMPTY),
  column('Limit', (quota) => usage(quota, (name) => name.startsWith('limits.')), EMPTY),
  ageColumn,
];

function usage(quota: Fields, isShown: (resource: string) => boolean): string {
  const { hard, used } = fieldsOf(quota, 'status');
  return Object.entries(isFields(hard) ? hard : {})
    .filter(([name]) => isShown(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, limit]) => `${name}: ${String(at(used, name) ?? 0)}/${String(limit)}`)
    .join(', ');
}
