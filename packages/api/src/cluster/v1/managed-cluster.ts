import {
  atomicList,
  boolean,
  enumeration,
  integer,
  mapList,
  mapOf,
  object,
  optional,
  required,
  string,
  time,
  withDefault,
} from '../../schema/builders.js';
import { conditions, QUALIFIED_NAME_PATTERN, quantity } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';

const taint = object('ClusterTaint', 'A taint. Placements select the cluster only if they tolerate it.', {
  key: required(
    'Name of the taint.',
    string({
      minLength: 1,
      maxLength: 316,
      pattern: QUALIFIED_NAME_PATTERN,
    }),
  ),
  value: optional('Value of the taint.', string({ maxLength: 1024 })),
  effect: required(
    '`NoSelect` keeps away, `PreferNoSelect` keeps away if there is a choice, `NoSelectIfNew` keeps away only who has not chosen it yet.',
    enumeration('NoSelect', 'PreferNoSelect', 'NoSelectIfNew'),
  ),
  timeAdded: optional('When the taint was added; set by the hub.', time()),
});

const clientConfig = object('ManagedClusterClientConfig', "How clients reach the cluster's API server.", {
  url: required('Address of the API server.', string()),
  caBundle: optional('The CA certificates of the API server, in PEM, base64-encoded.', string({ format: 'byte' })),
});

const spec = object('ManagedClusterSpec', 'The settings of the cluster on the hub.', {
  hubAcceptsClient: optional("Whether the hub accepts the cluster's agent. Setting it requires a separate permission.", boolean()),
  leaseDurationSeconds: optional(
    "How often the agent renews the cluster's Lease, in seconds.",
    withDefault(integer({ format: 'int32' }), 60),
  ),
  managedClusterClientConfigs: optional("How clients reach the cluster's API server.", atomicList(clientConfig)),
  taints: optional('Taints. Placements select the cluster only if they tolerate all of them.', atomicList(taint)),
});

const clusterClaim = object('ManagedClusterClaim', 'A fact that the cluster reports about itself.', {
  name: optional('Name of the claim.', string({ maxLength: 253 })),
  value: optional('Value of the claim.', string({ minLength: 1, maxLength: 1024 })),
});

const managedNamespace = object('ManagedNamespace', 'A namespace on the cluster that the hub manages.', {
  name: required('Name of the namespace.', string({ minLength: 1, maxLength: 63 })),
  clusterSet: required('The ManagedClusterSet that requests it.', string({ minLength: 1 })),
  conditions: optional('`NamespaceAvailable`.', conditions),
});

const status = object('ManagedClusterStatus', 'What is known about the cluster.', {
  conditions: optional(
    '`HubAcceptedManagedCluster`, `ManagedClusterJoined`, `ManagedClusterConditionAvailable`, `ManagedClusterConditionClockSynced` and others.',
    conditions,
  ),
  capacity: optional('Sum of the capacity of the nodes.', mapOf(quantity)),
  allocatable: optional('Sum of the allocatable resources of the schedulable nodes.', mapOf(quantity)),
  version: optional(
    'Versions of the cluster.',
    object('ManagedClusterVersion', 'Versions of the cluster.', { kubernetes: optional('Version of Kubernetes.', string()) }),
  ),
  clusterClaims: optional('Facts that the cluster reports about itself.', atomicList(clusterClaim)),
  managedNamespaces: optional('Namespaces on the cluster that the hub manages.', mapList(managedNamespace, ['clusterSet', 'name'])),
});

export const managedCluster: KindVersion = {
  version: 'v1',
  typeName: 'ManagedCluster',
  description: 'A cluster of the fleet. The namespace of the same name contains its objects.',
  spec: required('The desired state.', spec),
  status: optional('The observed state. Written by the hub and the agent of the cluster.', status),
  columns: [
    { name: 'HUB ACCEPTED', type: 'boolean', jsonPath: '.spec.hubAcceptsClient' },
    { name: 'MANAGED CLUSTER URLS', type: 'string', jsonPath: '.spec.managedClusterClientConfigs[*].url' },
    { name: 'JOINED', type: 'string', jsonPath: '.status.conditions[?(@.type=="ManagedClusterJoined")].status' },
    { name: 'AVAILABLE', type: 'string', jsonPath: '.status.conditions[?(@.type=="ManagedClusterConditionAvailable")].status' },
    AGE,
  ],
};
