import { type AddOnDeploymentConfig, type AddOnDeploymentConfigSpec } from '@outrigger/api';
import type { Intern, KubeObject, Projected } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { base, generationOf } from './base.js';

export interface DeploymentConfigProjection extends Projected {
  readonly generation: number;
  readonly specHash: string;
  readonly spec: AddOnDeploymentConfigSpec;
}

export function projectDeploymentConfig(object: KubeObject, intern: Intern): DeploymentConfigProjection {
  const config = object as AddOnDeploymentConfig;
  return { generation: generationOf(config), specHash: specHash(config), spec: config.spec, ...base(config, intern) };
}
