import { CONTENT_OF_ANNOTATION, CONTENT_VERSION_ANNOTATION, controllerRevisions } from '@outrigger/api';
import type { OwnerReference } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { isOwnKind, isTemplate, type PinnedRef, refKey } from '@outrigger/rules/configuration';
import { HUB } from '../../../resources/base.js';
import type { ContentProjection } from '@outrigger/rules/observed';
import { contentName, contentObject, isTooLarge } from '@outrigger/rules/revisions';
import { declarationGuard } from '../../declaration-guard.js';
import { declarationOwner, withOwner } from '../../fleet/owner.js';
import type { AddOnState } from '../state.js';
import type { GuardedWrites } from './metadata.js';
import type { EffectiveConfigs, Overrides } from '@outrigger/rules/effective';
import { patchObserved } from '../../observed-actions.js';

/**
 * Stores the content of the configs that the add-on's own spec references, before the status names their digests. The add-on can then still
 * be rendered after such a config is deleted. The fleet controller stores the configs that the declaration references.
 */
export function keepContent(
  { configs, contentNamespace, managementAddOn }: AddOnState,
  overrides: Overrides,
  effective: EffectiveConfigs,
): GuardedWrites {
  // If the declaration is being deleted, the garbage collector would delete the new content with it, so store nothing.
  if (!managementAddOn || managementAddOn.isDeleting) return { guards: [], actions: [] };
  const owner = declarationOwner(managementAddOn, { isController: false });
  const own = new Set(overrides.configs.filter(isOwnKind).map(refKey));
  const actions = effective.refs.flatMap((ref): ApiAction[] => {
    if (ref.specHash === '' || !own.has(refKey(ref))) return [];
    const kept = configs.kept(ref.specHash);
    if (kept) return shareContent(kept, owner, kept.contentOf.includes(refKey(ref)) ? undefined : nameOf(ref, overrides, kept.contentOf));
    const content = effective.contentOf(ref);
    if (!content || isTooLarge(content)) return [];
    const object = contentObject(ref.specHash, content, contentNamespace, owner, nameOf(ref, overrides, []));
    const id = `content/${contentName(ref.specHash)}`;
    return [{ type: 'create', id, api: HUB, kind: controllerRevisions, object, accept: ['AlreadyExists'] }];
  });
  return { guards: actions.some(({ type }) => type === 'patch') ? [declarationGuard(managementAddOn)] : [], actions };
}

/**
 * Adds this declaration and this reference to content that is already stored, perhaps by another declaration. Without the owner reference,
 * the content would be deleted when the other declaration no longer needs it.
 */
function shareContent(
  stored: ContentProjection,
  owner: OwnerReference,
  annotations: Readonly<Record<string, string>> | undefined,
): ApiAction[] {
  const isOwner = stored.owners.some((one) => one.uid === owner.uid);
  if (isOwner && !annotations) return [];
  const metadata = {
    ...(isOwner ? {} : { ownerReferences: withOwner(stored.owners, owner) }),
    ...(annotations ? { annotations } : {}),
  };
  return [patchObserved(stored, controllerRevisions, `content/${stored.key.name}`, { metadata })];
}

/**
 * Annotations that name the object, and the version, to which the content belongs. They make it possible to find the content after the
 * object has been deleted.
 */
function nameOf(ref: PinnedRef, { choice }: Overrides, others: readonly string[]): Readonly<Record<string, string>> {
  const version = isTemplate(ref) && choice?.type === 'template' ? choice.template.version : '';
  return {
    [CONTENT_OF_ANNOTATION]: [...others, refKey(ref)].join(' '),
    ...(version === '' ? {} : { [CONTENT_VERSION_ANNOTATION]: version }),
  };
}
