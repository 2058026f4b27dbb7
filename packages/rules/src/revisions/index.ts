export { contentName, contentObject, isTooLarge } from './content.js';
export { entryRevision, hasGates, hasTemplate, hasWildcard, assignedTarget, isInWildcard, namedRevision, revisionIn } from './assigned.js';
export { isSameRevisionContent, isVersionOnly, targetRefs } from './revision.js';
export { HISTORY_LENGTH, TargetHistory } from './target-history.js';
