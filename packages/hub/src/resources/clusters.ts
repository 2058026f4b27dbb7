import { managedClusters } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { type ClusterProjection, projectCluster } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const clusters: Resource<ClusterProjection> = {
  name: 'clusters',
  api: HUB,
  kind: managedClusters,
  project: projectCluster,
  indexes: {},
};
