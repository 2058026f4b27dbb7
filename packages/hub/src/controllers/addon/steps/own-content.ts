import { controllerRevisions } from '@outrigger/api';
import type { Action } from '@outrigger/kube';
import { isOwnKind, refKey } from '../../../configuration/references.js';
import { HUB } from '../../../resources/base.js';
import { contentName, contentObject, isTooLarge } from '../../../revisions/content.js';
import { declarationOwner } from '../../fleet/owner.js';
import type { AddOnState } from '../state.js';
import type { EffectiveConfigs, Overrides } from './configuration.js';

/**
 * Keeps the content of what a person refers to before the status names its digest, so that it goes on being rendered when the object is
 * deleted. What the fleet refers to is kept by the fleet's own pass.
 */
export function keepContent(
  { configs, contentNamespace, declaration }: AddOnState,
  overrides: Overrides,
  effective: EffectiveConfigs,
): readonly Action[] {
  // What is created for a declaration that is being deleted would be collected with it.
  if (!declaration || declaration.isDeleting) return [];
  const own = new Set(overrides.configs.filter(isOwnKind).map(refKey));
  return effective.refs.flatMap((ref): Action[] => {
    if (ref.specHash === '' || !own.has(refKey(ref)) || configs.stored(ref.specHash)) return [];
    const content = effective.contentOf(ref);
    if (!content || isTooLarge(content)) return [];
    const object = contentObject(ref.specHash, content, contentNamespace, declarationOwner(declaration, { isController: false }));
    const id = `content/${contentName(ref.specHash)}`;
    return [{ type: 'create', id, api: HUB, kind: controllerRevisions, object, accept: ['AlreadyExists'] }];
  });
}
