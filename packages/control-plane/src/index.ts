export { createControlPlane } from './assemble.js';
export type { ControlPlane, ControlPlaneOptions } from './assemble.js';
export { loadCredentials, memoryVault } from './auth/credentials.js';
export type { Credentials, Vault } from './auth/credentials.js';
export { ANONYMOUS, certificateIdentity, serviceAccountIdentity, SYSTEM } from './auth/identities.js';
export { kubeconfig } from './auth/kubeconfig.js';
export type { KubeconfigOptions } from './auth/kubeconfig.js';
export { BEHAVIOR_ANNOTATION, LEASE_ANNOTATION } from './cluster/behavior.js';
export type { Behavior } from './cluster/behavior.js';
export { runningStatus } from './cluster/simulated-kinds.js';
export type { ClusterSimulation, SimulationOptions, WorkloadName } from './cluster/simulation.js';
export type {
  AdmissionAttributes,
  Attributes,
  AuthorizationDecision,
  Authorizer,
  Convert,
  Handle,
  Identity,
  ServerAdmission,
} from './handle/contract.js';
export { appendPrivate, privateFolder, readPrivate, writePrivate } from './files/adapters/private-files.js';
export type { FolderOptions } from './files/adapters/private-files.js';
export type { Storage } from './open-store.js';
export type { Served, ServeOptions } from './serve/listen.js';
export type { Change, Store } from './store/contract.js';
export type { WebhookAnswer, WebhookCall, WebhookTransport } from './webhooks/contract.js';
