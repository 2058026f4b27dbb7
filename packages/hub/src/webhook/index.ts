export { WEBHOOK_AUTHORITY } from './authority-store.js';
export { createAdmission } from './admission.js';
export { hubAdmission } from './in-process.js';
export type { Lifetimes } from './authorities.js';
export { isConvertedByUs, publishWebhooks, withdrawConversion } from './publish.js';
export { serveWebhooks } from './serve.js';
export type { WebhookServer } from './serve.js';
export { WEBHOOK_CONFIGURATION, mutatingWebhookConfigurations, validatingWebhookConfigurations } from './configurations.js';
