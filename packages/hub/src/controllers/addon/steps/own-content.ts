import { CONTENT_OF_ANNOTATION, CONTENT_VERSION_ANNOTATION, controllerRevisions } from '@outrigger/api';
import type { ApiAction } from '@outrigger/kube';
import { isOwnKind, isTemplate, type PinnedRef, refKey } from '@outrigger/rules/configuration';
import { HUB } from '../../../resources/base.js';
import type { ContentRecord } from '@outrigger/rules/observed';
import { contentName, contentObject, isTooLarge } from '@outrigger/rules/revisions';
import { declarationOwner } from '../../fleet/owner.js';
import type { AddOnState } from '../state.js';
import type { EffectiveConfigs, Overrides } from '@outrigger/rules/effective';

/**
 * Stores the content of configs that a user references before the status names their digests. The add-on can then still be rendered after
 * such an object is deleted. The fleet controller stores the configs that the fleet references.
 */
export function keepContent(
  { configs, contentNamespace, managementAddOn }: AddOnState,
  overrides: Overrides,
  effective: EffectiveConfigs,
): readonly ApiAction[] {
  // If the declaration is being deleted, the garbage collector would delete the new content with it, so store nothing.
  if (!managementAddOn || managementAddOn.isDeleting) return [];
  const own = new Set(overrides.configs.filter(isOwnKind).map(refKey));
  return effective.refs.flatMap((ref): ApiAction[] => {
    if (ref.specHash === '' || !own.has(refKey(ref))) return [];
    const kept = configs.kept(ref.specHash);
    if (kept) return kept.contentOf.includes(refKey(ref)) ? [] : [nameContent(kept, nameOf(ref, overrides, kept.contentOf))];
    const content = effective.contentOf(ref);
    if (!content || isTooLarge(content)) return [];
    const owner = declarationOwner(managementAddOn, { isController: false });
    const object = contentObject(ref.specHash, content, contentNamespace, owner, nameOf(ref, overrides, []));
    const id = `content/${contentName(ref.specHash)}`;
    return [{ type: 'create', id, api: HUB, kind: controllerRevisions, object, accept: ['AlreadyExists'] }];
  });
}

/** Adds this reference to stored content that already has other references. */
function nameContent({ key, uid, resourceVersion }: ContentRecord, annotations: Readonly<Record<string, string>>): ApiAction {
  return {
    type: 'patch',
    id: `content/${key.name}`,
    api: HUB,
    kind: controllerRevisions,
    key,
    patch: { metadata: { annotations } },
    precondition: { uid, resourceVersion },
  };
}

/**
 * Annotations that name the object, and the version, to which the content belongs. By them the content can be found after the object was
 * deleted.
 */
function nameOf(ref: PinnedRef, { choice }: Overrides, others: readonly string[]): Readonly<Record<string, string>> {
  const version = isTemplate(ref) && choice?.type === 'template' ? choice.template.version : '';
  return {
    [CONTENT_OF_ANNOTATION]: [...others, refKey(ref)].join(' '),
    ...(version === '' ? {} : { [CONTENT_VERSION_ANNOTATION]: version }),
  };
}
