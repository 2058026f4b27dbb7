import { addOnDeploymentConfigs } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { type DeploymentConfigRecord, projectDeploymentConfig } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const deploymentConfigs: Resource<DeploymentConfigRecord> = {
  name: 'deployment-configs',
  api: HUB,
  kind: addOnDeploymentConfigs,
  project: projectDeploymentConfig,
  indexes: {},
};
