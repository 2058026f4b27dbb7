import { TARGETS_RESOLVED_MESSAGES, configName, controllerRevisions } from '@outrigger/api';
import { type JsonObject, earliest } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { isDeploymentConfig, isTemplate, type PinnedRef } from '@outrigger/rules/configuration';
import { HUB } from '../../resources/base.js';
import type { ContentProjection } from '@outrigger/rules/observed';
import { contentName, contentObject, isTooLarge, type TargetHistory, targetRefs } from '@outrigger/rules/revisions';
import { patchObserved } from '../observed-actions.js';
import { declarationOwner, withOwner } from './owner.js';
import type { FleetState } from './state.js';

/** The actions that store content that a target or an add-on names, and the actions that collect all other stored content. */
export interface ContentPlan {
  /**
   * The actions that store content, or add this declaration to the owners of stored content. They are executed before any rollout status
   * names the digests.
   */
  readonly keep: readonly ApiAction[];
  readonly collect: readonly ApiAction[];
  /** Messages about content that is too large to be stored. */
  readonly problems: readonly string[];
  /** When unreferenced content is old enough to be collected. */
  readonly recheckAt: number | undefined;
  /** Why the API server refused to store content, and how to fix it. Nothing is recorded until the content is stored. */
  readonly refusal: string | undefined;
}

/** The minimum age of unnamed content that is collected. Younger content stays, because content is stored before an object names it. */
const GRACE_MS = 10 * 60_000;

export function planContents(state: FleetState, history: TargetHistory, kept: ReadonlySet<number>, now: number): ContentPlan {
  const refs = new Map<string, PinnedRef>();
  for (const target of history.targets) {
    if (!kept.has(target.revision)) continue;
    for (const ref of targetRefs(target)) if (ref.specHash !== '') refs.set(ref.specHash, ref);
  }
  const keep: ApiAction[] = [];
  const problems: string[] = [];
  for (const ref of refs.values()) {
    const step = keepContent(state, ref);
    if (typeof step === 'string') problems.push(step);
    else keep.push(...step);
  }
  const unused = state.contents.filter(({ specHash }) => !refs.has(specHash));
  const named = unused.length === 0 ? new Set<string>() : namedByAddOns(state);
  const garbage = unused.filter(({ specHash }) => !named.has(specHash));
  const collectable = garbage.filter(({ createdAt }) => createdAt + GRACE_MS < now);
  return {
    keep,
    collect: collectable.map((content) => collect(state, content)),
    problems,
    recheckAt: collectableAt(garbage, now),
    refusal: refusalOf(state, keep),
  };
}

/**
 * Returns the next time at which content can be collected. A pass must be scheduled for this time, because no change of an object wakes the
 * declaration then.
 */
function collectableAt(garbage: readonly ContentProjection[], now: number): number | undefined {
  return earliest(...garbage.map(({ createdAt }) => createdAt + GRACE_MS + 1).filter((at) => at > now));
}

function refusalOf({ outcomes, contentNamespace }: FleetState, keep: readonly ApiAction[]): string | undefined {
  const refusal = keep.map(({ id }) => outcomes.refusal(id)).find((found) => found !== undefined);
  if (!refusal) return undefined;
  const isNamespaceMissing = refusal.reason === 'NotFound';
  return TARGETS_RESOLVED_MESSAGES.contentNotStored(contentNamespace, refusal.message, isNamespaceMissing);
}

function keepContent(state: FleetState, ref: PinnedRef): readonly ApiAction[] | string {
  const stored = state.storedContent(ref.specHash);
  if (stored) return adopt(state, stored);
  // For kinds other than AddOnTemplate and AddOnDeploymentConfig, the hub keeps only the digest, so that no Secret is ever copied.
  if (!isTemplate(ref) && !isDeploymentConfig(ref)) return [];
  const live = state.configs.live(ref);
  if (typeof live === 'string' || live.specHash !== ref.specHash || !live.content) return [];
  if (isTooLarge(live.content)) {
    return `${configName(ref)} is larger than 1 MiB: its content is not kept, so a cluster that needs it again needs the object unchanged`;
  }
  return [create(state, ref.specHash, live.content)];
}

function create(state: FleetState, specHash: string, content: JsonObject): ApiAction {
  const owner = declarationOwner(state.managementAddOn, { isController: false });
  const object = contentObject(specHash, content, state.contentNamespace, owner);
  return { type: 'create', id: contentName(specHash), api: HUB, kind: controllerRevisions, object, accept: ['AlreadyExists'] };
}

/** Adds this declaration to the owners of content that another add-on has stored already. */
function adopt({ managementAddOn }: FleetState, content: ContentProjection): readonly ApiAction[] {
  if (content.owners.some(({ uid }) => uid === managementAddOn.uid)) return [];
  return [patchOwners(content, withOwner(content.owners, declarationOwner(managementAddOn, { isController: false })))];
}

function collect({ managementAddOn }: FleetState, content: ContentProjection): ApiAction {
  const others = content.owners.filter(({ uid }) => uid !== managementAddOn.uid);
  if (others.length > 0) return patchOwners(content, others);
  const { key, uid, resourceVersion } = content;
  const base = { id: key.name, api: HUB, kind: controllerRevisions, key };
  return { ...base, type: 'delete', precondition: { uid, resourceVersion }, accept: ['NotFound'] };
}

function patchOwners(content: ContentProjection, owners: ContentProjection['owners']): ApiAction {
  return patchObserved(content, controllerRevisions, content.key.name, { metadata: { ownerReferences: owners } });
}

/** The digests that add-ons report. Add-ons with equal references share one list, so each list is read once. */
function namedByAddOns({ addOns }: FleetState): ReadonlySet<string> {
  const lists = new Set(addOns.flatMap(({ status }) => (status.configReferences ? [status.configReferences] : [])));
  const named = new Set<string>();
  for (const list of lists) {
    for (const { desiredConfig, lastAppliedConfig } of list) {
      if (desiredConfig?.specHash) named.add(desiredConfig.specHash);
      if (lastAppliedConfig?.specHash) named.add(lastAppliedConfig.specHash);
    }
  }
  return named;
}
