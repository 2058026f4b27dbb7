import { type AddOnDeploymentConfigSpec, type AddOnTemplateSpec, RENDER_MESSAGES, configName } from '@outrigger/api';
import { isDeploymentConfig, isTemplate, type PinnedRef } from '../configuration/references.js';
import type { CompiledTemplate, RenderProblem } from '../render/template.js';
import { credentialMounts } from '../render/credentials.js';
import { render } from '../render/render.js';
import type { Renderer } from '../render/renderers.js';
import type { JsonObject } from '@outrigger/core';
import type { PlanState } from './state.js';
import type { EffectiveConfigs } from '../effective/configs.js';

/** Compiles a template. Results are cached by `specHash`, so equal content is compiled only once. */
export type TemplateCompiler = (
  specHash: string,
  spec: AddOnTemplateSpec,
) => CompiledTemplate | { readonly problems: readonly RenderProblem[] };

/** The template in effect, and whether it can be used. */
export type TemplateInUse =
  /** Another manager renders this add-on. */
  | { readonly type: 'another manager' }
  /**
   * The content is not in the cache yet: the rollout may arrive before the content that it names. The add-on is woken when the content
   * arrives.
   */
  | { readonly type: 'missing' }
  | { readonly type: 'problem'; readonly message: string; readonly spec: AddOnTemplateSpec }
  | { readonly type: 'compiled'; readonly ref: PinnedRef; readonly spec: AddOnTemplateSpec; readonly template: CompiledTemplate };

export function templateInUse(effective: EffectiveConfigs, compile: TemplateCompiler): TemplateInUse {
  const ref = effective.refs.find(isTemplate);
  if (!ref) return { type: 'another manager' };
  const spec = effective.contentOf(ref)?.['spec'] as AddOnTemplateSpec | undefined;
  if (!spec) return { type: 'missing' };
  const template = compile(ref.specHash, spec);
  if ('problems' in template) return { type: 'problem', message: describe(ref, template.problems), spec };
  return { type: 'compiled', ref, spec, template };
}

export type RenderedAddOn =
  | { readonly type: 'missing' }
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'rendered'; readonly manifests: readonly JsonObject[]; readonly installNamespace: string };

/** Renders the manifests of the add-on for its cluster. */
export function renderAddOn(
  { clusterAddOn, cluster }: Pick<PlanState, 'clusterAddOn' | 'cluster'>,
  effective: EffectiveConfigs,
  { ref, spec, template }: Extract<TemplateInUse, { type: 'compiled' }>,
  renderer: Renderer,
): RenderedAddOn {
  const config = effective.refs.find(isDeploymentConfig);
  const content = config && effective.contentOf(config);
  if (config && !content) return { type: 'missing' };
  const { name, namespace = '' } = clusterAddOn.key;
  const settings = (content?.['spec'] as unknown as AddOnDeploymentConfigSpec | undefined) ?? {};
  const registries = cluster ? cluster.imageRegistries : [];
  // The registries in the deployment config replace those of the cluster, even if the cluster's annotation is invalid.
  if (!registries && !settings.registries) return { type: 'problem', message: RENDER_MESSAGES.badRegistries(namespace) };
  const rendered = render({
    renderer,
    addOnName: name,
    clusterName: namespace,
    template,
    credentials: credentialMounts(name, spec.registration ?? []),
    installNamespace: clusterAddOn.spec.installNamespace,
    settings,
    clusterRegistries: registries ?? [],
  });
  return 'problems' in rendered ? { type: 'problem', message: describe(ref, rendered.problems) } : { type: 'rendered', ...rendered };
}

const SHOWN_PROBLEMS = 5;

function describe(template: PinnedRef, problems: readonly RenderProblem[]): string {
  return RENDER_MESSAGES.problems(configName(template), problems.slice(0, SHOWN_PROBLEMS), Math.max(0, problems.length - SHOWN_PROBLEMS));
}
