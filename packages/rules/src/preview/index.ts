export { previewEntry } from './entry.js';
export { preview } from './preview.js';
export type { PreviewInput } from './preview.js';
