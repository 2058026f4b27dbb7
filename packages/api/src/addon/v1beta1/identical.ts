import type { KindVersion } from '../../schema/kind.js';
import { addOnDeploymentConfig } from '../v1alpha1/add-on-deployment-config.js';
import { addOnTemplate } from '../v1alpha1/add-on-template.js';

/** These kinds are the same in both versions: only the name of the version differs. */
export const addOnDeploymentConfigV1beta1: KindVersion = { ...addOnDeploymentConfig, version: 'v1beta1' };
export const addOnTemplateV1beta1: KindVersion = { ...addOnTemplate, version: 'v1beta1' };
