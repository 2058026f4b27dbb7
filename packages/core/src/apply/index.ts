export { applyObject, trackUpdate, typeNameOf } from './apply.js';
export type { ApplyOptions, ApplyResult, ApplyVersions, OwnershipOptions } from './apply.js';
export { FieldSet } from './field-set.js';
export { pathText } from './path-element.js';
export type { ApplyObject } from './values.js';
