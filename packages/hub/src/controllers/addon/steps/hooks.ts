import {
  type AddOnConditionOf,
  HOOK_MESSAGES,
  type ManifestWork,
  PRE_DELETE_FINALIZER,
  PROGRESSING_MESSAGES,
  managedClusters,
  preDeleteWorkName,
} from '@outrigger/api';
import { type Json, type JsonObject, findCondition, isJsonObject, parseJson } from '@outrigger/core';
import { NEWEST_RENDERER, rendererOf } from '@outrigger/rules/render';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { hookWork, isHookDone } from '@outrigger/rules/works';
import { isPreDeleteHook } from '@outrigger/rules/manifests';
import { addOnOwner, type Examination, renderAddOn, type TemplateInUse } from '@outrigger/rules/plan';
import type { AddOnState } from '../state.js';
import type { EffectiveConfigs, Target } from '@outrigger/rules/effective';

type HookCompleted = AddOnConditionOf<'HookManifestCompleted'>;

/** The time for which pre-delete hooks may delay the deletion of an add-on. */
export const HOOK_DEADLINE_MS: number = 10 * 60_000;

/** The state of the pre-delete hooks of a deletion. */
export type HookPlan =
  /** The deletion does not wait for any hook, so the finalizer is removed. */
  | { readonly type: 'release'; readonly reason?: string }
  /** The hooks have run, as `condition` reports. The next pass reads the condition from the status and removes the finalizer. */
  | { readonly type: 'completed'; readonly condition: HookCompleted }
  | {
      readonly type: 'run';
      /** The work with the hooks; undefined if it already exists or cannot be rendered. */
      readonly work: ManifestWork | undefined;
      readonly condition: HookCompleted;
      /** The time in milliseconds after which the deletion no longer waits for the hooks. */
      readonly leftMs: number;
    };

/** The results of `examine` from which hooks are rendered. */
export interface HookInputs {
  readonly effective: EffectiveConfigs;
  readonly template: TemplateInUse;
  readonly target: Target;
}

/** Whether the manifests of the template in use contain pre-delete hooks; undefined while the template is not known. */
export function hasHooks(template: TemplateInUse): boolean | undefined {
  if (template.type === 'another manager') return undefined;
  return template.type === 'compiled' ? template.template.hasHooks : undefined;
}

/**
 * Maximum size of the hooks in the annotation; all annotations of an object are limited to 256 KiB together. Larger hooks are rendered from
 * the stored content, as long as it exists.
 */
const MAX_KEPT_HOOKS = 128 * 1024;

/**
 * Returns the value of the annotation with the rendered hooks: null removes it, undefined leaves it unchanged. The annotation keeps the
 * hooks when the template, the declaration and the stored content are deleted together with the add-on. It is written only together with
 * the finalizer or with new works, so that an upgrade of the manager does not write to settled add-ons. Removes the annotation of an add-on
 * that another manager renders, because before Outrigger was installed any user who could write the add-on could have set it.
 */
export function keptHooks(
  clusterAddOn: AddOnProjection,
  { template, plan, renderer }: Pick<Examination, 'template' | 'plan' | 'renderer'>,
): string | null | undefined {
  const kept = clusterAddOn.preDeleteManifests;
  if (hasHooks(template) === false || renderer === 'another manager') return kept === undefined ? undefined : null;
  const hooks = 'hooks' in plan ? plan.hooks : undefined;
  if (!hooks || hooks.length === 0) return undefined;
  if (kept === undefined && plan.type === 'current' && isHeldByHook({ clusterAddOn })) return undefined;
  const text = JSON.stringify(hooks);
  if (new TextEncoder().encode(text).length > MAX_KEPT_HOOKS) return kept === undefined ? undefined : null;
  return text === kept ? undefined : text;
}

/** The hooks that were rendered for the existing works; undefined if the annotation has none. */
function readHooks({ preDeleteManifests }: AddOnProjection): readonly JsonObject[] | undefined {
  const hooks = preDeleteManifests === undefined ? undefined : parseJson(preDeleteManifests);
  if (!Array.isArray(hooks) || hooks.length === 0) return undefined;
  const list = hooks as readonly Json[];
  return list.every((hook) => isJsonObject(hook) && isPreDeleteHook(hook)) ? (list as readonly JsonObject[]) : undefined;
}

/**
 * Returns the next step of a deletion that has waited for its hooks for `waitedMs`. The step does not depend on whether a rollout has
 * admitted the cluster.
 */
export function planHooks(state: AddOnState, { effective, template, target }: HookInputs, waitedMs: number): HookPlan {
  const { clusterAddOn } = state;
  const name = preDeleteWorkName(clusterAddOn.key.name);
  if (!state.cluster)
    return { type: 'release', reason: PROGRESSING_MESSAGES.missing(managedClusters.kind, clusterAddOn.key.namespace ?? '') };
  if (findCondition(clusterAddOn.status.conditions, 'HookManifestCompleted')?.status === 'True') return { type: 'release' };
  if (hasHooks(template) === false) return { type: 'release' };
  if (state.hookWork && isHookDone(state.hookWork)) {
    const message = HOOK_MESSAGES.completed(name);
    return { type: 'completed', condition: { type: 'HookManifestCompleted', status: 'True', reason: 'HookManifestIsCompleted', message } };
  }
  const leftMs = HOOK_DEADLINE_MS - waitedMs;
  if (leftMs <= 0) {
    return { type: 'release', reason: HOOK_MESSAGES.tooLate(name, HOOK_DEADLINE_MS / 60_000) };
  }
  const message = HOOK_MESSAGES.notCompleted(name);
  return {
    type: 'run',
    work: wantedWork(state, { effective, template, target }),
    condition: { type: 'HookManifestCompleted', status: 'False', reason: 'HookManifestIsNotCompleted', message },
    leftMs,
  };
}

/**
 * Returns the hook work to create. The hook work is created once and never changed. While the content exists, the hooks are rendered from
 * the content, because another user may have written the annotation before a policy prevented such writes.
 */
function wantedWork(state: AddOnState, inputs: HookInputs): ManifestWork | undefined {
  if (state.hookWork) return undefined;
  const manifests = renderedManifests(state, inputs) ?? readHooks(state.clusterAddOn);
  const { name, namespace = '' } = state.clusterAddOn.key;
  return manifests && hookWork({ addOnName: name, cluster: namespace, owner: addOnOwner(state.clusterAddOn), manifests });
}

function renderedManifests(state: AddOnState, { effective, template, target }: HookInputs): readonly JsonObject[] | undefined {
  if (template.type !== 'compiled') return undefined;
  const rendered = renderAddOn(state, effective, template, rendererOf(target.renderer ?? NEWEST_RENDERER));
  return rendered.type === 'rendered' ? rendered.manifests : undefined;
}

export function isHeldByHook({ clusterAddOn }: Pick<AddOnState, 'clusterAddOn'>): boolean {
  return clusterAddOn.finalizers.includes(PRE_DELETE_FINALIZER);
}
