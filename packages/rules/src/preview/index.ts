export { previewEntry } from './entry.js';
export { preview } from './preview.js';
export type { Preview, PreviewInput } from './preview.js';
