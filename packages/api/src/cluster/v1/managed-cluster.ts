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

const taint = object('ClusterTaint', 'A mark that keeps Placements away unless they tolerate it.', {
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

const clientConfig = object('ManagedClusterClientConfig', "How the cluster's API server is reached.", {
  url: required('Address of the API server.', string()),
  caBundle: optional('Base64 of the PEM certificates it is trusted by.', string({ format: 'byte' })),
});

const spec = object('ManagedClusterSpec', 'How the hub treats the cluster.', {
  hubAcceptsClient: optional("Whether the hub lets the cluster's agent in; setting it needs a right of its own.", boolean()),
  leaseDurationSeconds: optional(
    "How often the agent renews the cluster's Lease, in seconds.",
    withDefault(integer({ format: 'int32' }), 60),
  ),
  managedClusterClientConfigs: optional("How the cluster's API server is reached.", atomicList(clientConfig)),
  taints: optional('Marks that keep Placements away.', atomicList(taint)),
});

const clusterClaim = object('ManagedClusterClaim', 'A fact the cluster tells about itself.', {
  name: optional('Name of the claim.', string({ maxLength: 253 })),
  value: optional('Value of the claim.', string({ minLength: 1, maxLength: 1024 })),
});

const managedNamespace = object('ManagedNamespace', 'A namespace the hub cares for on the cluster.', {
  name: required('Name of the namespace.', string({ minLength: 1, maxLength: 63 })),
  clusterSet: required('The ManagedClusterSet that asks for it.', string({ minLength: 1 })),
  conditions: optional('`NamespaceAvailable`.', conditions),
});

const status = object('ManagedClusterStatus', 'What is known about the cluster.', {
  conditions: optional(
    '`HubAcceptedManagedCluster`, `ManagedClusterJoined`, `ManagedClusterConditionAvailable`, `ManagedClusterConditionClockSynced` and others.',
    conditions,
  ),
  capacity: optional('Sum of the capacity of the nodes.', mapOf(quantity)),
  allocatable: optional('Sum of what the schedulable nodes can give to pods.', mapOf(quantity)),
  version: optional(
    'Versions of the cluster.',
    object('ManagedClusterVersion', 'Versions of the cluster.', { kubernetes: optional('Version of Kubernetes.', string()) }),
  ),
  clusterClaims: optional('Facts the cluster tells about itself.', atomicList(clusterClaim)),
  managedNamespaces: optional('Namespaces the hub cares for on the cluster.', mapList(managedNamespace, ['clusterSet', 'name'])),
});

export const managedCluster: KindVersion = {
  version: 'v1',
  typeName: 'ManagedCluster',
  description: 'A cluster of the fleet. The namespace of the same name holds what belongs to it.',
  spec: required('The desired state.', spec),
  status: optional('What was observed; written by the hub and the agent of the cluster.', status),
  columns: [
    { name: 'HUB ACCEPTED', type: 'boolean', jsonPath: '.spec.hubAcceptsClient' },
    { name: 'MANAGED CLUSTER URLS', type: 'string', jsonPath: '.spec.managedClusterClientConfigs[*].url' },
    { name: 'JOINED', type: 'string', jsonPath: '.status.conditions[?(@.type=="ManagedClusterJoined")].status' },
    { name: 'AVAILABLE', type: 'string', jsonPath: '.status.conditions[?(@.type=="ManagedClusterConditionAvailable")].status' },
    AGE,
  ],
};
