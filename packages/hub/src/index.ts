export { ServerClock } from './rollout-policies/server-clock.js';
export { prometheusProvider } from './rollout-policies/metrics-provider.js';
export type { MetricsProvider } from './rollout-policies/metrics-provider.js';
export type { NotificationTarget } from './rollout-policies/notifications.js';
export { createHub } from './hub.js';
export type { HubOptions } from './hub.js';
export { withdrawBindings } from './registration/hand-back.js';
export { LEFT_BEHIND_NAME } from './resources/cluster-rights.js';
export { missingFields } from './served-fields.js';
export { JOIN_LABEL, JOIN_NAMESPACE, clusterOfJoinUser, createJoinToken } from './controllers/clusters/index.js';
export {
  WEBHOOK_AUTHORITY,
  WEBHOOK_CONFIGURATION,
  createAdmission,
  hubAdmission,
  isConvertedByUs,
  mutatingWebhookConfigurations,
  publishWebhooks,
  serveWebhooks,
  validatingWebhookConfigurations,
  withdrawConversion,
} from './webhook/index.js';
export type { Lifetimes, WebhookServer } from './webhook/index.js';
