/** The individual controllers. The simulator runs them without a manager; processes use `createHub`. */
export { addOnController } from './controllers/addon/controller.js';
export { clusterController } from './controllers/clusters/controller.js';
export { fleetController } from './controllers/fleet/controller.js';
export { placementController } from './controllers/placement/controller.js';
export { NO_BOOTSTRAP_USERS } from './controllers/registration/cluster-rules.js';
export { registrationController } from './controllers/registration/controller.js';
export { RequestProblems } from './registration/request-problems.js';
export { Measurements } from './rollout-policies/measurements.js';
export type { MetricsProvider } from './rollout-policies/metrics-provider.js';
