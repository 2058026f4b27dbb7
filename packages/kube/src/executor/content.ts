import type { Action } from '../decision.js';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';

/** Digest of an action. Two actions that request the same write have the same digest, even if they contain different resourceVersions. */
export function actionContent(action: Action): string {
  return sha256Hex(canonicalJson(contentOf(action)));
}

function contentOf(action: Action): unknown {
  switch (action.type) {
    case 'create':
    case 'apply':
    case 'replace':
      return { type: action.type, object: { ...action.object, metadata: { ...action.object.metadata, resourceVersion: undefined } } };
    case 'patch':
      return { type: action.type, key: action.key, patch: action.patch };
    case 'delete':
      return { type: action.type, key: action.key, uid: action.precondition.uid };
    case 'effect':
      return { type: action.type, effect: action.effect, input: action.input };
  }
}
