export { templateCompiler } from './compiled-templates.js';
export { credentialMounts } from './credentials.js';
export { render } from './render.js';
export type { RenderInput } from './render.js';
export { NEWEST_RENDERER, RENDERERS, rendererOf } from './renderers.js';
export type { Renderer } from './renderers.js';
export { compileTemplate } from './template.js';
export type { CompiledTemplate, RenderProblem } from './template.js';
