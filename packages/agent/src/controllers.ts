/** The individual controllers and their dependencies. The simulator runs them without a `Manager`; processes use `createAgent`. */
export { works } from './resources/works.js';
export { appliedWorkController } from './work/applied/controller.js';
export { workController } from './work/controller.js';
export { Permissions } from './work/executor/permissions.js';
export { ClusterKinds } from './work/kinds.js';
export { ReleaseProblems } from './work/ownership/release-problems.js';
export type { WorkAgent } from './work/work-agent.js';
