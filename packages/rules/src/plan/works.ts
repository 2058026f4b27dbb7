import type { ManifestWork } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { configSpecHash, type PinnedRef, unusedRefs, usedRefs } from '../configuration/references.js';
import { NEWEST_RENDERER, rendererOf, RENDERERS } from '../render/renderers.js';
import { contentDigest } from '../works/identity.js';
import { deployWorkIndex, desiredWorks, isUpToDate, type WorkInput } from '../works/desired.js';
import { type KeptWork, succession } from '../works/succession.js';
import type { WorkProjection } from '../works/work-projection.js';
import { isPreDeleteHook } from '../manifests/hooks.js';
import { addOnOwner } from './owner.js';
import type { PlanState } from './state.js';
import type { EffectiveConfigs } from '../effective/configs.js';
import { type TemplateInUse, renderAddOn } from './template.js';

/** The plan for the works of an add-on. */
export type WorksPlan =
  /** Another manager renders this add-on. */
  | { readonly type: 'another manager' }
  /** No work is written, because the add-on is not admitted or an input cannot be read. The cluster keeps its running content. */
  | { readonly type: 'hold' }
  | { readonly type: 'problem'; readonly message: string }
  /** The existing works already match the target. */
  | { readonly type: 'current'; readonly installNamespace: string | undefined; readonly hooks?: readonly JsonObject[] }
  | {
      readonly type: 'write';
      /** Works to create or change. */
      readonly works: readonly ManifestWork[];
      /** Works to change that keep manifests that are no longer wanted until the agent has applied all wanted works. */
      readonly keep: readonly KeptWork[];
      /** Works of earlier content that may be deleted now. */
      readonly surplus: readonly WorkProjection[];
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
  /** The number of the renderer that the revision names; undefined if no revision is known. */
  readonly renderer: number | undefined;
}

/** Decides which works the add-on needs. Renders the manifests only if the inputs have changed since the existing works were rendered. */
export function planWorks(state: PlanState, content: WorksContent): WorksPlan {
  const { effective, version, template } = content;
  if (template.type === 'another manager') return { type: 'another manager' };
  const { clusterAddOn } = state;
  const hash = configSpecHash(effective.refs);
  const deployed = deployWorks(state);
  const rendering = renderingOf(state, content, configsInput(effective.refs, hash), deployed);
  const owner = addOnOwner(clusterAddOn);
  const isStanding =
    isUpToDate(deployed, { renderInputs: rendering.inputs, version, configSpecHash: hash, owner }) || isUpstreams(deployed, hash);
  const installNamespace = deployed[0]?.installNamespace ?? clusterAddOn.status.namespace;
  if (isStanding && installNamespace !== undefined) return { type: 'current', installNamespace };

  if (template.type === 'missing') return { type: 'hold' };
  if (template.type === 'problem') return { type: 'problem', message: template.message };
  const renderer = rendererOf(rendering.number);
  const rendered = renderAddOn(state, effective, template, renderer);
  if (rendered.type === 'missing') return { type: 'hold' };
  if (rendered.type === 'problem') return { type: 'problem', message: rendered.message };
  if (isStanding) return { type: 'current', installNamespace: rendered.installNamespace };
  const input: WorkInput = {
    addOnName: clusterAddOn.key.name,
    cluster: clusterAddOn.key.namespace ?? '',
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

/** The works whose names the manager generated. Other works with the add-on's label are not changed. */
export function deployWorks({ clusterAddOn, works }: Pick<PlanState, 'clusterAddOn' | 'works'>): readonly WorkProjection[] {
  return works.filter((work) => deployWorkIndex(clusterAddOn.key.name, work.key.name) !== undefined);
}

/** The number of a renderer, and the digest of the rendering inputs, which include this number. */
interface Rendering {
  readonly number: number;
  readonly inputs: string;
}

/**
 * Returns the renderer of the existing works if the wanted works differ only in their renderer, otherwise the renderer of the revision. A
 * cluster therefore gets a new renderer only with new content, through the rollout, and a repaired work has the same bytes as before.
 */
function renderingOf(
  state: PlanState,
  { version, renderer = NEWEST_RENDERER }: WorksContent,
  configs: string,
  deployed: readonly WorkProjection[],
): Rendering {
  const withNumber = (number: number): Rendering => ({ number, inputs: inputsDigest(state, number, configs, version) });
  const wanted = withNumber(renderer);
  const isMadeWith = ({ inputs }: Rendering): boolean => deployed.some((work) => work.renderInputs === inputs);
  if (deployed.length === 0 || isMadeWith(wanted)) return wanted;
  return RENDERERS.map(({ number }) => withNumber(number)).find(isMadeWith) ?? wanted;
}

/**
 * Returns the configs as one string. If a kind has several configs, the string also names the config that has an effect. Otherwise it does
 * not, so that digests from earlier versions of the manager stay valid.
 */
function configsInput(refs: readonly PinnedRef[], hash = ''): string {
  return unusedRefs(refs).length > 0 ? `${hash} ${usedRefs(refs)}` : hash;
}

/**
 * A digest of everything that rendering reads; configs contribute their own digests. Equal digests mean equal output. Every pass computes
 * it, so it must be cheap.
 */
function inputsDigest({ clusterAddOn, cluster }: PlanState, renderer: number, configs: string, version: string): string {
  return contentDigest([
    renderer,
    clusterAddOn.key.name,
    clusterAddOn.key.namespace,
    clusterAddOn.uid,
    version,
    configs,
    clusterAddOn.spec.installNamespace,
    cluster?.imageRegistries,
  ]);
}

/**
 * Whether upstream's manager wrote these works with the configs in effect. Such works keep their spec until the content changes, so that no
 * workload restarts when Outrigger takes over the add-on.
 */
function isUpstreams(works: readonly WorkProjection[], hash: string | undefined): boolean {
  return works.length > 0 && works.every((work) => work.renderInputs === undefined && work.configSpecHash === hash && !work.isDeleting);
}
