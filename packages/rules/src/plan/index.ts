export { examine } from './examine.js';
export type { Examination } from './examine.js';
export { addOnOwner } from './owner.js';
export type { PlanState } from './state.js';
export { renderAddOn } from './template.js';
export type { TemplateCompiler, TemplateInUse } from './template.js';
export { deployWorks } from './works.js';
export type { WorksPlan } from './works.js';
