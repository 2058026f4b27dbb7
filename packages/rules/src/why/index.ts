export { explainSelection } from './selection.js';
export { EMPTY, snapshotLookups } from './snapshot.js';
export type { Snapshot } from './snapshot.js';
export { explain } from './why.js';
