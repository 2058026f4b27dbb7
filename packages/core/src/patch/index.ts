export { deepEqual, deepFreeze } from './equal.js';
export { jsonPatch } from './json-patch.js';
export { createMergePatch, mergePatch } from './merge-patch.js';
export { MAX_DEPTH, assertDepth, getOwn, setOwn, tooDeep } from './own.js';
export { strategicMergePatch } from './strategic-merge.js';
