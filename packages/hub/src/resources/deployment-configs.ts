import { type AddOnDeploymentConfig, type AddOnDeploymentConfigSpec, addOnDeploymentConfigs } from '@outrigger/api';
import { specHash } from '@outrigger/core/hash';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base, generationOf } from './base.js';

export interface DeploymentConfigRecord extends Projected {
  readonly generation: number;
  readonly specHash: string;
  readonly spec: AddOnDeploymentConfigSpec;
}

export const deploymentConfigs: Resource<DeploymentConfigRecord> = {
  name: 'deployment-configs',
  api: HUB,
  kind: addOnDeploymentConfigs,
  project(object, intern) {
    const config = object as AddOnDeploymentConfig;
    return { ...base(config, intern), generation: generationOf(config), specHash: specHash(config), spec: config.spec };
  },
  indexes: {},
};
