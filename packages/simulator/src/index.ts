export { compareWithoutFaults } from './history/compare.js';
export { Coverage, phaseOf } from './history/coverage.js';
export { examine } from './history/examine.js';
export type { Examined } from './history/examine.js';
export { generate } from './history/generate.js';
export type { GenerateOptions } from './history/generate.js';
export { shrink } from './history/shrink.js';
export type { History, ServerName, Step, TimedStep } from './history/steps.js';
export { story } from './history/story.js';
export { detachedClusters, isFault } from './history/steps.js';
export { judgeCertificates, judgeObserved, judgeSystem } from './model/index.js';
export type { Evidence, LogEntry, Stored, Violation } from './model/index.js';
export {
  ADD_ONS,
  CLUSTERS,
  OWN_CONFIG,
  VERSIONS,
  declaration,
  deploymentConfig,
  initialPlacement,
  managedCluster,
  namedPlacements,
  placement,
  strategyOfEntries,
  template,
} from './world/objects.js';
export type { Rollout } from './world/objects.js';
export { prepareWorld } from './world/world.js';
export type { PreparedWorld } from './world/world.js';
