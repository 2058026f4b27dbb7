export { createDoor } from './admission.js';
export type { HubDoor, HubDoorOptions } from './admission.js';
export { hubAdmission } from './in-process.js';
export type { InProcessAdmission, InProcessRequest, InProcessVerdict } from './in-process.js';
export { serveWebhooks } from './serve.js';
export type { WebhookServer, WebhookServerOptions } from './serve.js';
export {
  clientConfig,
  mutatingConfiguration,
  mutatingWebhookConfigurations,
  validatingConfiguration,
  validatingWebhookConfigurations,
} from './configurations.js';
export type { WebhookEndpoint } from './configurations.js';
