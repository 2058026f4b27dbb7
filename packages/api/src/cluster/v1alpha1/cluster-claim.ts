import { object, optional, string } from '../../schema/builders.js';
import type { KindVersion } from '../../schema/kind.js';

const spec = object('ClusterClaimSpec', 'The fact.', {
  value: optional('Value of the claim.', string({ minLength: 1, maxLength: 1024 })),
});

export const clusterClaim: KindVersion = {
  version: 'v1alpha1',
  typeName: 'ClusterClaim',
  description: 'An object on the managed cluster: a fact that the cluster reports to the hub. Its name is the name of the claim.',
  spec: optional('The fact.', spec),
};
