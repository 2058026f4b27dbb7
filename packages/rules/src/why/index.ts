export { explainSelection } from './selection.js';
export type { Snapshot } from './snapshot.js';
export { explain } from './why.js';
