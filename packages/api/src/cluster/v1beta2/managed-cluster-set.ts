import { enumeration, mapList, object, optional, required, string, withDefault } from '../../schema/builders.js';
import { conditions, labelSelector } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';

const managedNamespace = object('ManagedNamespaceConfig', 'A namespace that the hub manages on every cluster of the set.', {
  name: required('Name of the namespace.', string({ minLength: 1, maxLength: 63 })),
});

const clusterSelector = object('ClusterSetSelector', 'Which clusters belong to the set.', {
  selectorType: optional(
    '`ExclusiveClusterSetLabel`: clusters with the label `cluster.open-cluster-management.io/clusterset` of this name. `LabelSelector`: clusters that match labelSelector.',
    withDefault(enumeration('ExclusiveClusterSetLabel', 'LabelSelector'), 'ExclusiveClusterSetLabel'),
  ),
  labelSelector: optional('With `LabelSelector`: the labels.', labelSelector),
});

const spec = object('ManagedClusterSetSpec', 'Which clusters belong to the set.', {
  clusterSelector: optional(
    'Which clusters belong to the set.',
    withDefault(clusterSelector, { selectorType: 'ExclusiveClusterSetLabel' }),
  ),
  managedNamespaces: optional('Namespaces that the hub manages on every cluster of the set.', mapList(managedNamespace, ['name'])),
});

const status = object('ManagedClusterSetStatus', 'The observed state of the set.', {
  conditions: optional('`ClusterSetEmpty`.', conditions),
});

export const managedClusterSet: KindVersion = {
  version: 'v1beta2',
  typeName: 'ManagedClusterSet',
  description: 'A set of clusters that can be bound to namespaces.',
  spec: optional('The desired state.', withDefault(spec, { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } })),
  status: optional('What was observed.', status),
  columns: [{ name: 'EMPTY', type: 'string', jsonPath: '.status.conditions[?(@.type=="ClusterSetEmpty")].status' }, AGE],
};
