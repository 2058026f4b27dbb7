export { createHub } from './hub.js';
export type { HubOptions } from './hub.js';
export { missingFields } from './served-fields.js';
export type { MissingField } from './served-fields.js';
export { JOIN_GROUP, clusterOfJoinUser, createJoinToken, joinUser } from './controllers/clusters/index.js';
export type { ClusterOptions, JoinToken, JoinTokenOptions } from './controllers/clusters/index.js';
export {
  LIFETIMES,
  WEBHOOK_CONFIGURATION,
  createDoor,
  hubAdmission,
  isConvertedByUs,
  mutatingWebhookConfigurations,
  publishWebhooks,
  serveWebhooks,
  validatingWebhookConfigurations,
  withdrawConversion,
} from './webhook/index.js';
export type {
  HubDoor,
  HubDoorOptions,
  InProcessAdmission,
  InProcessRequest,
  InProcessVerdict,
  Lifetimes,
  WebhookEndpoint,
  WebhookServer,
  WebhookServerOptions,
} from './webhook/index.js';
