import { object, optional, required, string } from '../../schema/builders.js';
import { conditions } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';

const spec = object('ManagedClusterSetBindingSpec', 'Which set is bound.', {
  clusterSet: required('Name of the ManagedClusterSet; the binding has the same name.', string({ minLength: 1 })),
});

const status = object('ManagedClusterSetBindingStatus', 'The observed state of the binding.', {
  conditions: optional('`Bound`.', conditions),
});

export const managedClusterSetBinding: KindVersion = {
  version: 'v1beta2',
  typeName: 'ManagedClusterSetBinding',
  description: 'Allows the Placements of a namespace to select clusters of a set.',
  spec: required('The desired state.', spec),
  status: optional('What was observed.', status),
  rules: [
    {
      rule: 'self.metadata.name == self.spec.clusterSet',
      message: 'the binding must have the name of the set it binds',
      fieldPath: '.spec.clusterSet',
    },
  ],
  columns: [{ name: 'CLUSTER SET', type: 'string', jsonPath: '.spec.clusterSet' }, AGE],
};
