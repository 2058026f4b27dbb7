export { createAgent } from './agent.js';
export type { AgentOptions, AgentRoles } from './agent.js';
export type { AgentSettings } from './identity.js';
export type { HubEndpoint } from './credentials/hub-kubeconfig.js';
export { defaultAgentName } from './join/agent-name.js';
export { createJoiningAgent } from './join/supervisor.js';
export type { HubTransport, JoiningAgent, JoiningAgentOptions, JoinPhase } from './join/options.js';
export { BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME } from './join/own-spec.js';
export type { SecretNames } from './join/own-spec.js';
