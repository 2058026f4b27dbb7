import { controllerRevisions } from '@outrigger/api';
import type { Action } from '@outrigger/kube';
import { isOwnKind, refKey } from '../../../configuration/references.js';
import { HUB } from '../../../resources/base.js';
import { contentName, contentObject } from '../../../revisions/content.js';
import type { AddOnState } from '../state.js';
import type { EffectiveConfigs, Overrides } from './configuration.js';

const MAX_CONTENT_BYTES = 1024 * 1024;

/**
 * Keeps the content of what a person refers to before the status names its digest, so that it goes on being rendered when the object is
 * deleted. What the fleet refers to is kept by the fleet's own pass.
 */
export function keepContent(
  { configs, contentNamespace, declaration }: AddOnState,
  overrides: Overrides,
  effective: EffectiveConfigs,
): readonly Action[] {
  if (!declaration) return [];
  const own = new Set(overrides.configs.filter(isOwnKind).map(refKey));
  return effective.refs.flatMap((ref): Action[] => {
    if (ref.specHash === '' || !own.has(refKey(ref)) || configs.stored(ref.specHash)) return [];
    const content = effective.contentOf(ref);
    if (!content || JSON.stringify(content).length > MAX_CONTENT_BYTES) return [];
    const object = contentObject(ref.specHash, content, contentNamespace, { name: declaration.key.name, uid: declaration.uid });
    const id = `content/${contentName(ref.specHash)}`;
    return [{ type: 'create', id, api: HUB, kind: controllerRevisions, object, accept: ['AlreadyExists'] }];
  });
}
