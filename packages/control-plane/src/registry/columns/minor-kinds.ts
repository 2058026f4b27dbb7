import { formatDuration } from '@outrigger/core';
import { fieldsOf, listOf, numberOf, type Fields } from '../draft.js';
import type { Column } from '../resource.js';
import { ageColumn, at, column, count, nameColumn, selectorText, wide } from './common.js';

const EMPTY = { none: '' } as const;
const path =
  (...steps: readonly string[]) =>
  (object: Fields): unknown =>
    at(object, ...steps);

export const bindingColumns: readonly Column[] = [
  nameColumn,
  column('Role', (binding) => {
    const { kind, name } = fieldsOf(binding, 'roleRef');
    return `${String(kind)}/${String(name)}`;
  }),
  ageColumn,
  wide('Users', (binding) => subjects(binding, 'User'), EMPTY),
  wide('Groups', (binding) => subjects(binding, 'Group'), EMPTY),
  wide('ServiceAccounts', (binding) => subjects(binding, 'ServiceAccount'), EMPTY),
];

function subjects(binding: Fields, kind: string): string {
  return listOf(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${String(namespace)}/${String(name)}` : String(name)))
    .join(', ');
}

export const leaseColumns: readonly Column[] = [nameColumn, column('Holder', path('spec', 'holderIdentity')), ageColumn];

export const certificateRequestColumns: readonly Column[] = [
  nameColumn,
  ageColumn,
  column('SignerName', path('spec', 'signerName')),
  column('Requestor', path('spec', 'username')),
  column('RequestedDuration', (request) => {
    const seconds = numberOf(fieldsOf(request, 'spec'), 'expirationSeconds');
    return seconds === undefined ? '' : formatDuration(seconds * 1000);
  }),
  column('Condition', certificateCondition),
];

function certificateCondition(request: Fields): string {
  const status = fieldsOf(request, 'status');
  const types = listOf(status, 'conditions').map(({ type }) => String(type));
  const parts = ['Approved', 'Denied', 'Failed'].filter((type) => types.includes(type));
  if (parts.length === 0) return 'Pending';
  return [...parts, ...(status['certificate'] ? ['Issued'] : [])].join(',');
}

export const ingressColumns: readonly Column[] = [
  nameColumn,
  column('Class', path('spec', 'ingressClassName')),
  column('Hosts', (ingress) => {
    const hosts = listOf(fieldsOf(ingress, 'spec'), 'rules').flatMap(({ host }) => (host ? [String(host)] : []));
    return hosts.length === 0 ? '*' : hosts.join(',');
  }),
  column('Address', addresses, EMPTY),
  column('Ports', (ingress) => (listOf(fieldsOf(ingress, 'spec'), 'tls').length > 0 ? '80, 443' : '80')),
  ageColumn,
];

function addresses(ingress: Fields): string {
  const entries = listOf(fieldsOf(fieldsOf(ingress, 'status'), 'loadBalancer'), 'ingress');
  return entries.map((entry) => String(entry['ip'] ?? entry['hostname'])).join(',');
}

export const networkPolicyColumns: readonly Column[] = [
  nameColumn,
  column('Pod-Selector', (policy) => selectorText(at(policy, 'spec', 'podSelector'))),
  ageColumn,
];

export const ingressClassColumns: readonly Column[] = [
  nameColumn,
  column('Controller', path('spec', 'controller')),
  column('Parameters', (object) => at(object, 'spec', 'parameters', 'name')),
  ageColumn,
];

export const disruptionBudgetColumns: readonly Column[] = [
  nameColumn,
  column('Min Available', (object) => String(at(object, 'spec', 'minAvailable') ?? 'N/A')),
  column('Max Unavailable', (object) => String(at(object, 'spec', 'maxUnavailable') ?? 'N/A')),
  count('Allowed Disruptions', path('status', 'disruptionsAllowed')),
  ageColumn,
];

export const autoscalerColumns: readonly Column[] = [
  nameColumn,
  column('Reference', (object) => {
    const { kind, name } = fieldsOf(fieldsOf(object, 'spec'), 'scaleTargetRef');
    return `${String(kind)}/${String(name)}`;
  }),
  column('Targets', () => '<unknown>'),
  column('MinPods', (object) => String(at(object, 'spec', 'minReplicas') ?? '<unset>')),
  column('MaxPods', path('spec', 'maxReplicas')),
  column('Replicas', (object) => at(object, 'status', 'currentReplicas') ?? 0),
  ageColumn,
];

export const storageClassColumns: readonly Column[] = [
  nameColumn,
  column('Provisioner', path('provisioner')),
  column('ReclaimPolicy', path('reclaimPolicy')),
  column('VolumeBindingMode', path('volumeBindingMode')),
  column('AllowVolumeExpansion', (object) => String(object['allowVolumeExpansion'] ?? false)),
  ageColumn,
];

export const priorityClassColumns: readonly Column[] = [
  nameColumn,
  count('Value', path('value')),
  column('Global-Default', path('globalDefault'), { type: 'boolean' }),
  ageColumn,
  column('PreemptionPolicy', path('preemptionPolicy')),
];

export const apiServiceColumns: readonly Column[] = [
  nameColumn,
  column('Service', (object) => {
    const { namespace, name } = fieldsOf(fieldsOf(object, 'spec'), 'service');
    return name === undefined ? 'Local' : `${String(namespace)}/${String(name)}`;
  }),
  column(
    'Available',
    (object) => listOf(fieldsOf(object, 'status'), 'conditions').find(({ type }) => type === 'Available')?.['status'] ?? 'Unknown',
  ),
  ageColumn,
];

export const endpointSliceColumns: readonly Column[] = [
  nameColumn,
  column('AddressType', path('addressType')),
  column(
    'Ports',
    (object) =>
      listOf(object, 'ports')
        .map(({ port }) => String(port))
        .join(',') || '<unset>',
  ),
  column(
    'Endpoints',
    (object) =>
      listOf(object, 'endpoints')
        .flatMap(({ addresses }) => (Array.isArray(addresses) ? addresses.map(String) : []))
        .join(',') || '<unset>',
  ),
  ageColumn,
];

export const webhookColumns: readonly Column[] = [nameColumn, count('Webhooks', (object) => listOf(object, 'webhooks').length), ageColumn];

const joinedList = (list: unknown): string => (Array.isArray(list) ? list.map(String).join(',') : '');

export const csiDriverColumns: readonly Column[] = [
  nameColumn,
  column('AttachRequired', (object) => at(object, 'spec', 'attachRequired') ?? true, { type: 'boolean' }),
  column('PodInfoOnMount', (object) => at(object, 'spec', 'podInfoOnMount') ?? false, { type: 'boolean' }),
  column('StorageCapacity', (object) => at(object, 'spec', 'storageCapacity') ?? false, { type: 'boolean' }),
  column('TokenRequests', (object) => {
    const audiences = listOf(fieldsOf(object, 'spec'), 'tokenRequests').map(({ audience }) => (audience ? String(audience) : 'Default'));
    return audiences.length === 0 ? '<unset>' : audiences.join(',');
  }),
  column('RequiresRepublish', (object) => at(object, 'spec', 'requiresRepublish') ?? false, { type: 'boolean' }),
  column('Modes', (object) => joinedList(at(object, 'spec', 'volumeLifecycleModes')) || '<none>'),
  ageColumn,
];

export const csiNodeColumns: readonly Column[] = [
  nameColumn,
  count('Drivers', (object) => listOf(fieldsOf(object, 'spec'), 'drivers').length),
  ageColumn,
];

export const volumeAttachmentColumns: readonly Column[] = [
  nameColumn,
  column('Attacher', path('spec', 'attacher')),
  column('PV', (object) => at(object, 'spec', 'source', 'persistentVolumeName') ?? '', EMPTY),
  column('Node', path('spec', 'nodeName')),
  column('Attached', (object) => at(object, 'status', 'attached') ?? false, { type: 'boolean' }),
  ageColumn,
];

export const volumeAttributesClassColumns: readonly Column[] = [nameColumn, column('DriverName', path('driverName')), ageColumn];

export const ipAddressColumns: readonly Column[] = [
  nameColumn,
  column('ParentRef', (object) => {
    const { group, resource, namespace, name } = fieldsOf(fieldsOf(object, 'spec'), 'parentRef');
    const kind = group ? `${String(resource)}.${String(group)}` : String(resource ?? '');
    return [kind, ...(namespace ? [String(namespace)] : []), String(name ?? '')].join('/');
  }),
  ageColumn,
];

export const serviceCidrColumns: readonly Column[] = [
  nameColumn,
  column('CIDRs', (object) => joinedList(at(object, 'spec', 'cidrs')), EMPTY),
  ageColumn,
];

export const flowSchemaColumns: readonly Column[] = [
  nameColumn,
  column('PriorityLevel', (object) => at(object, 'spec', 'priorityLevelConfiguration', 'name')),
  count('MatchingPrecedence', path('spec', 'matchingPrecedence')),
  column('DistinguisherMethod', (object) => at(object, 'spec', 'distinguisherMethod', 'type') ?? '<none>'),
  ageColumn,
  column('MissingPL', (object) => {
    const dangling = listOf(fieldsOf(object, 'status'), 'conditions').find(({ type }) => type === 'Dangling');
    return dangling?.['status'] ?? '?';
  }),
];

export const priorityLevelColumns: readonly Column[] = [
  nameColumn,
  column('Type', path('spec', 'type')),
  column(
    'NominalConcurrencyShares',
    (object) => at(object, 'spec', 'limited', 'nominalConcurrencyShares') ?? at(object, 'spec', 'exempt', 'nominalConcurrencyShares'),
  ),
  column('Queues', (object) => at(object, 'spec', 'limited', 'limitResponse', 'queuing', 'queues')),
  column('HandSize', (object) => at(object, 'spec', 'limited', 'limitResponse', 'queuing', 'handSize')),
  column('QueueLengthLimit', (object) => at(object, 'spec', 'limited', 'limitResponse', 'queuing', 'queueLengthLimit')),
  ageColumn,
];

export const resourceClaimColumns: readonly Column[] = [
  nameColumn,
  column('State', (object) => {
    const status = fieldsOf(object, 'status');
    const states = [
      ...(object['metadata'] !== undefined && fieldsOf(object, 'metadata')['deletionTimestamp'] ? ['deleted'] : []),
      ...(status['allocation'] === undefined ? ['pending'] : ['allocated']),
      ...(listOf(status, 'reservedFor').length > 0 ? ['reserved'] : []),
    ];
    return states.join(',');
  }),
  ageColumn,
];

export const resourceSliceColumns: readonly Column[] = [
  nameColumn,
  column('Node', (object) => at(object, 'spec', 'nodeName') ?? '<unset>'),
  column('Driver', path('spec', 'driver')),
  column('Pool', (object) => at(object, 'spec', 'pool', 'name')),
  ageColumn,
];

export const runtimeClassColumns: readonly Column[] = [nameColumn, column('Handler', path('handler')), ageColumn];
