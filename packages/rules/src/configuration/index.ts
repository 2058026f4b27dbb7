export { liveConfigOf } from './lookup.js';
export type { ConfigLookup, ConfigProblem, OtherConfigs, LiveConfig } from './lookup.js';
export {
  DEPLOYMENT_CONFIG_RESOURCE,
  TEMPLATE_RESOURCE,
  configSpecHash,
  groupResource,
  isDeploymentConfig,
  isOwnKind,
  isTemplate,
  layered,
  refKey,
  toRef,
} from './references.js';
export type { ConfigRef, PinnedRef } from './references.js';
export { supportedTest } from './supported.js';
