import { ADDON_EVENT_MESSAGES, type ManagedClusterAddOnStatus } from '@outrigger/api';
import { deepEqual, memoizeText } from '@outrigger/core';
import type { EventIntent } from '@outrigger/kube';
import { isTemplate, type PinnedRef, toRef } from '@outrigger/rules/configuration';
import { intent } from './events.js';
import type { AddOnState } from './state.js';

/** Digests of the template content that the hub assigned to an add-on. They are kept only in memory, not in a status. */
export interface GrantedContent {
  readonly granted: readonly string[];
  /** Digests of content that was assigned earlier. They are dropped when the status first names only the current content. */
  readonly replaced: readonly string[];
}

const NONE: readonly string[] = [];

/**
 * The in-memory state of an add-on that has one template and whose status names only that template. Add-ons on all clusters share one
 * instance.
 */
const arrivedAt = memoizeText((digest: string): GrantedContent => ({ granted: [digest], replaced: NONE }));

/** Maximum number of earlier digests that are kept for an add-on whose status is never updated. */
const MOST_REPLACED = 8;

/**
 * Compares the template content that the status names with the content that the hub assigned. An agent may write the status. A forged
 * status has no effect, because the status never determines a cluster's content, but an Event reports the difference to users. The first
 * pass of this process cannot know who wrote the status, so it only stores the digests.
 */
export function judgeReport(
  { clusterAddOn, remembered }: Pick<AddOnState, 'clusterAddOn' | 'remembered'>,
  refs: readonly PinnedRef[],
): { readonly events: readonly EventIntent[]; readonly remember: GrantedContent } {
  const granted = distinct(refs.filter(isTemplate).map(({ specHash }) => specHash));
  const named = namedDigests(clusterAddOn.status);
  const before = remembered ?? { granted: [], replaced: named };
  const replaced = distinct([...before.replaced, ...before.granted]).filter((digest) => !granted.includes(digest));
  const ungranted = named.find((digest) => !granted.includes(digest) && !replaced.includes(digest));
  const hasArrived = named.length > 0 && named.every((digest) => granted.includes(digest));
  const remember = contentOf(granted, hasArrived ? NONE : replaced.slice(-MOST_REPLACED));
  return {
    events:
      ungranted === undefined ? [] : [intent(clusterAddOn, 'Warning', 'StatusNotGranted', ADDON_EVENT_MESSAGES.notGranted(ungranted))],
    remember: remembered && deepEqual(remember, remembered) ? remembered : remember,
  };
}

function contentOf(granted: readonly string[], replaced: readonly string[]): GrantedContent {
  const [digest] = granted;
  return digest !== undefined && granted.length === 1 && replaced.length === 0 ? arrivedAt(digest) : { granted, replaced };
}

/** The digests of templates that the status names as desired or last applied. */
function namedDigests({ configReferences = [] }: ManagedClusterAddOnStatus): readonly string[] {
  return distinct(
    configReferences
      .filter((reference) => isTemplate(toRef({ ...reference, name: reference.name ?? '' })))
      .flatMap(({ desiredConfig, lastAppliedConfig }) => [desiredConfig?.specHash ?? '', lastAppliedConfig?.specHash ?? '']),
  );
}

function distinct(digests: readonly string[]): readonly string[] {
  return [...new Set(digests)].filter((digest) => digest !== '');
}
