export { templateCompiler } from './compiled-templates.js';
export { credentialMounts } from './credentials.js';
export { render } from './render.js';
export { NEWEST_RENDERER, rendererOf } from './renderers.js';
export { compileTemplate } from './template.js';
export type { CompiledTemplate } from './template.js';
