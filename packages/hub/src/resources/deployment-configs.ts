import { addOnDeploymentConfigs } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { type DeploymentConfigProjection, projectDeploymentConfig } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const deploymentConfigs: Resource<DeploymentConfigProjection> = {
  name: 'deployment-configs',
  api: HUB,
  kind: addOnDeploymentConfigs,
  project: projectDeploymentConfig,
  indexes: {},
};
