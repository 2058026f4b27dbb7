export { advanceVersions, directionOf } from './bookkeeping.js';
export type { Direction, VersionStatus } from './bookkeeping.js';
export { versionsOf } from './catalog.js';
export type { VersionCatalog } from './catalog.js';
export { choiceProblem, isUnfollowable } from './choose.js';
export type { TemplateChoice } from './choose.js';
export { knownTemplates } from './known-templates.js';
export type { TemplateLookups } from './known-templates.js';
