import { managedClusters } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { type ClusterRecord, projectCluster } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const clusters: Resource<ClusterRecord> = {
  name: 'clusters',
  api: HUB,
  kind: managedClusters,
  project: projectCluster,
  indexes: {},
};
