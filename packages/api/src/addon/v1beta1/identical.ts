import type { KindVersion } from '../../schema/kind.js';
import { addOnDeploymentConfig } from '../v1alpha1/add-on-deployment-config.js';
import { addOnTemplate } from '../v1alpha1/add-on-template.js';

/** Kinds that differ between the two versions only in the name of the version. */
export const addOnDeploymentConfigV1beta1: KindVersion = { ...addOnDeploymentConfig, version: 'v1beta1' };
export const addOnTemplateV1beta1: KindVersion = { ...addOnTemplate, version: 'v1beta1' };
