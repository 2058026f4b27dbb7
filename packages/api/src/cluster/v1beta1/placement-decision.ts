import { atomicList, integer, object, optional, required, string } from '../../schema/builders.js';
import type { KindVersion } from '../../schema/kind.js';

const decision = object('ClusterDecision', 'A chosen cluster.', {
  clusterName: required('Name of the ManagedCluster.', string()),
  reason: required('Why the cluster was selected; may be empty.', string()),
  score: optional('Its score.', integer()),
});

const status = object('PlacementDecisionStatus', 'Chosen clusters.', {
  decisions: required('The clusters, at most 100 in one object.', atomicList(decision)),
});

export const placementDecision: KindVersion = {
  version: 'v1beta1',
  typeName: 'PlacementDecision',
  description:
    'Part of the clusters that one Placement selects. The label `cluster.open-cluster-management.io/placement` names the Placement.',
  status: optional('The chosen clusters.', status),
};
