export { createAgent } from './agent.js';
export { CREDENTIAL_LABEL } from './credentials/secrets.js';
export type { AgentSettings } from './identity.js';
export { defaultAgentName } from './join/agent-name.js';
export { createJoiningAgent } from './join/supervisor.js';
export type { JoiningAgent, JoiningAgentOptions } from './join/options.js';
export { BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME } from './join/own-spec.js';
export { appliedReport, clusterReport, needsAgent, readClusterFacts } from './reports.js';
export type { AppliedObject, ClusterFacts } from './reports.js';
