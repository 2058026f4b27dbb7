import type { ManifestWork } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { configSpecHash, type PinnedRef, unusedRefs, usedRefs } from '../configuration/references.js';
import { NEWEST_RENDERER, rendererOf, RENDERERS } from '../render/renderers.js';
import { contentDigest } from '../works/identity.js';
import { deployWorkIndex, desiredWorks, isUpToDate, type WorkInput } from '../works/desired.js';
import { type KeptWork, succession } from '../works/succession.js';
import type { WorkRecord } from '../works/work-record.js';
import { isPreDeleteHook } from '../manifests/hooks.js';
import { addOnOwner } from './owner.js';
import type { PlanState } from './state.js';
import type { EffectiveConfigs } from '../effective/configs.js';
import { type TemplateInUse, renderAddOn } from './template.js';

/** The plan for the works of an add-on. */
export type WorksPlan =
  /** Another manager renders this add-on. */
  | { readonly type: 'foreign' }
  /** The add-on is not admitted, or an input cannot be read: the running content stays. */
  | { readonly type: 'hold' }
  | { readonly type: 'problem'; readonly message: string }
  /** The existing works are those that the target needs. */
  | { readonly type: 'current'; readonly installNamespace: string | undefined; readonly hooks?: readonly JsonObject[] }
  | {
      readonly type: 'write';
      /** Works to create or change. */
      readonly works: readonly ManifestWork[];
      /** Works to change that still contain manifests which are not wanted any more. */
      readonly keep: readonly KeptWork[];
      /** Works of earlier content that may be deleted now. */
      readonly surplus: readonly WorkRecord[];
      /** Names of written works that the agent must apply before works of earlier content may be deleted. */
      readonly awaited: readonly string[];
      readonly installNamespace: string;
      /** The rendered pre-delete hooks. */
      readonly hooks: readonly JsonObject[];
    };

/** The content that is in effect on the cluster. */
export interface WorksContent {
  readonly effective: EffectiveConfigs;
  readonly version: string;
  readonly template: TemplateInUse;
  /** The renderer's number in the revision; undefined if no revision is known. */
  readonly renderer: number | undefined;
}

/** Decides what the works should be. It renders only if the inputs differ from those the works were rendered from. */
export function planWorks(state: PlanState, content: WorksContent): WorksPlan {
  const { effective, version, template } = content;
  if (template.type === 'foreign') return { type: 'foreign' };
  const { addOn } = state;
  const hash = configSpecHash(effective.refs);
  const deployed = deployWorks(state);
  const rendering = renderingOf(state, content, configsInput(effective.refs, hash), deployed);
  const owner = addOnOwner(addOn);
  const isStanding =
    isUpToDate(deployed, { renderInputs: rendering.inputs, version, configSpecHash: hash, owner }) || isUpstreams(deployed, hash);
  const installNamespace = deployed[0]?.installNamespace ?? addOn.status.namespace;
  if (isStanding && installNamespace !== undefined) return { type: 'current', installNamespace };

  if (template.type === 'missing') return { type: 'hold' };
  if (template.type === 'problem') return { type: 'problem', message: template.message };
  const renderer = rendererOf(rendering.number);
  const rendered = renderAddOn(state, effective, template, renderer);
  if (rendered.type === 'missing') return { type: 'hold' };
  if (rendered.type === 'problem') return { type: 'problem', message: rendered.message };
  if (isStanding) return { type: 'current', installNamespace: rendered.installNamespace };
  const input: WorkInput = {
    addOnName: addOn.key.name,
    cluster: addOn.key.namespace ?? '',
    renderer,
    version,
    configSpecHash: hash,
    renderInputs: rendering.inputs,
    installNamespace: rendered.installNamespace,
    owner,
    manifests: rendered.manifests,
    authored: template.spec.agentSpec as unknown as { manifestConfigs?: readonly JsonObject[] },
  };
  const works = desiredWorks(input, deployed);
  const isNothing = works.length === 0 && deployed.length === 0;
  const hooks = rendered.manifests.filter(isPreDeleteHook);
  if (isNothing) return { type: 'current', installNamespace: rendered.installNamespace, hooks };
  const { write, keep, remove, awaited } = succession(works, deployed);
  return { type: 'write', works: write, keep, surplus: remove, awaited, installNamespace: rendered.installNamespace, hooks };
}

/** The works with names that the manager gives; other works with the add-on's label are not changed. */
export function deployWorks({ addOn, works }: Pick<PlanState, 'addOn' | 'works'>): readonly WorkRecord[] {
  return works.filter((work) => deployWorkIndex(addOn.key.name, work.key.name) !== undefined);
}

/** The number of a renderer, and the digest of the inputs with that renderer. */
interface Rendering {
  readonly number: number;
  readonly inputs: string;
}

/**
 * The renderer of the existing works if they differ from the wanted ones in nothing but their renderer, else the renderer of the revision.
 * A renderer therefore never changes on its own: clusters get a new renderer only with new content, through the rollout, and repairing a
 * work restores the previous bytes.
 */
function renderingOf(
  state: PlanState,
  { version, renderer = NEWEST_RENDERER }: WorksContent,
  configs: string,
  deployed: readonly WorkRecord[],
): Rendering {
  const withNumber = (number: number): Rendering => ({ number, inputs: inputsDigest(state, number, configs, version) });
  const wanted = withNumber(renderer);
  const isMadeWith = ({ inputs }: Rendering): boolean => deployed.some((work) => work.renderInputs === inputs);
  if (deployed.length === 0 || isMadeWith(wanted)) return wanted;
  return RENDERERS.map(({ number }) => withNumber(number)).find(isMadeWith) ?? wanted;
}

/**
 * The configs as one string. Which of several configs of a kind has an effect is added only if there are several, so that digests computed
 * by earlier versions stay the same.
 */
function configsInput(refs: readonly PinnedRef[], hash = ''): string {
  return unusedRefs(refs).length > 0 ? `${hash} ${usedRefs(refs)}` : hash;
}

/**
 * A digest of all inputs of rendering, with configs by their digests: equal digests mean equal output. It is computed in every pass and
 * therefore cheap.
 */
function inputsDigest({ addOn, cluster }: PlanState, renderer: number, configs: string, version: string): string {
  return contentDigest([
    renderer,
    addOn.key.name,
    addOn.key.namespace,
    addOn.uid,
    version,
    configs,
    addOn.spec.installNamespace,
    cluster?.imageRegistries,
  ]);
}

/**
 * Whether an upstream manager wrote these works with the same content. They keep their spec until something changes, so that a takeover
 * restarts no workload.
 */
function isUpstreams(works: readonly WorkRecord[], hash: string | undefined): boolean {
  return works.length > 0 && works.every((work) => work.renderInputs === undefined && work.configSpecHash === hash && !work.isDeleting);
}
