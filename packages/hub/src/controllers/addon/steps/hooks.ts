import {
  type AddOnCondition,
  HOOK_MESSAGES,
  type ManifestWork,
  PRE_DELETE_FINALIZER,
  PROGRESSING_MESSAGES,
  managedClusters,
  preDeleteWorkName,
} from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import { NEWEST_RENDERER, rendererOf } from '../../../render/renderers.js';
import { hookWork, isHookDone } from '../../../works/hook-work.js';
import { addOnOwner } from '../owner.js';
import type { AddOnState } from '../state.js';
import type { EffectiveConfigs } from './configuration.js';
import type { Target } from './target.js';
import { type TemplateInUse, renderAddOn } from './template.js';

type HookCompleted = Extract<AddOnCondition, { type: 'HookManifestCompleted' }>;

/** How long an add-on may be kept from being removed by what must run before. */
export const HOOK_DEADLINE_MS: number = 10 * 60_000;

/** What a deletion waits for. */
export type HookPlan =
  /** Nothing, or nothing any more: the finalizer goes. */
  | { readonly type: 'release'; readonly reason?: string }
  /** It has run; the next pass, which sees this told, releases the add-on. */
  | { readonly type: 'completed'; readonly condition: HookCompleted }
  | {
      readonly type: 'run';
      /** Undefined while it stands or cannot be rendered. */
      readonly work: ManifestWork | undefined;
      readonly condition: HookCompleted;
      readonly deadlineAt: number;
    };

/** The parts of an examination that hooks are rendered from. */
export interface HookInputs {
  readonly effective: EffectiveConfigs;
  readonly template: TemplateInUse;
  readonly target: Target;
}

/** Whether the manifests of the template in use run something before the add-on is removed; undefined while the template is not known. */
export function hasHooks(template: TemplateInUse): boolean | undefined {
  if (template.type === 'foreign') return undefined;
  return template.type === 'compiled' ? template.template.hasHooks : undefined;
}

/**
 * The steps of a deletion that has something to run first. They do not depend on whether a rollout has let the add-on go on: what the
 * cluster has is what its hook belongs to.
 */
export function planHooks(state: AddOnState, { effective, template, target }: HookInputs, now: Now): HookPlan {
  const { addOn } = state;
  const name = preDeleteWorkName(addOn.key.name);
  if (!state.cluster) return { type: 'release', reason: PROGRESSING_MESSAGES.missing(managedClusters.kind, addOn.key.namespace ?? '') };
  if (findCondition(addOn.status.conditions, 'HookManifestCompleted')?.status === 'True') return { type: 'release' };
  if (hasHooks(template) === false) return { type: 'release' };
  if (state.hookWork && isHookDone(state.hookWork)) {
    const message = HOOK_MESSAGES.completed(name);
    return { type: 'completed', condition: { type: 'HookManifestCompleted', status: 'True', reason: 'HookManifestIsCompleted', message } };
  }
  const deadlineAt = (addOn.deletedAt ?? now.wall) + HOOK_DEADLINE_MS;
  if (now.wall >= deadlineAt) {
    return { type: 'release', reason: HOOK_MESSAGES.tooLate(name, HOOK_DEADLINE_MS / 60_000) };
  }
  const message = HOOK_MESSAGES.notCompleted(name);
  return {
    type: 'run',
    work: wantedWork(state, { effective, template, target }),
    condition: { type: 'HookManifestCompleted', status: 'False', reason: 'HookManifestIsNotCompleted', message },
    deadlineAt,
  };
}

/** Written once: a hook that has begun is not changed under way. */
function wantedWork(state: AddOnState, { effective, template, target }: HookInputs): ManifestWork | undefined {
  if (state.hookWork || template.type !== 'compiled') return undefined;
  const rendered = renderAddOn(state, effective, template, rendererOf(target.renderer ?? NEWEST_RENDERER));
  if (rendered.type !== 'rendered') return undefined;
  const { name, namespace = '' } = state.addOn.key;
  return hookWork({ addOnName: name, cluster: namespace, owner: addOnOwner(state.addOn), manifests: rendered.manifests });
}

export function isHeldByHook({ addOn }: Pick<AddOnState, 'addOn'>): boolean {
  return addOn.finalizers.includes(PRE_DELETE_FINALIZER);
}
