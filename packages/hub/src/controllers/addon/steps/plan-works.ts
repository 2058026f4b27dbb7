import { type AddOnDeploymentConfigSpec, type AddOnTemplateSpec, type ManifestWork, configName } from '@outrigger/api';
import type { JsonObject, OwnerReference } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { type PinnedRef, configSpecHash, isDeploymentConfig, isTemplate } from '../../../configuration/references.js';
import { credentialMounts } from '../../../render/credentials.js';
import { RENDERER, type RenderInput, type Rendered, render } from '../../../render/render.js';
import type { CompiledTemplate, RenderProblem } from '../../../render/template.js';
import type { WorkRecord } from '../../../resources/works.js';
import { deployWorkIndex, desiredWorks, isUpToDate } from '../../../works/desired.js';
import type { AddOnState } from '../state.js';
import type { EffectiveConfigs } from './configuration.js';

/** What must happen to the works of an add-on. */
export type WorksPlan =
  /** Another manager renders this add-on. */
  | { readonly type: 'foreign' }
  /** Its turn has not come, or what it needs cannot be read: what runs goes on running. */
  | { readonly type: 'hold' }
  | { readonly type: 'problem'; readonly message: string }
  /** The works that stand are those the target calls for. */
  | { readonly type: 'current' }
  | { readonly type: 'write'; readonly works: readonly ManifestWork[]; readonly installNamespace: string };

/** Compiles a template once per content. */
export type TemplateCompiler = (
  specHash: string,
  spec: AddOnTemplateSpec,
) => CompiledTemplate | { readonly problems: readonly RenderProblem[] };

/** Decides what the works should be, rendering only if the inputs are not those the works were rendered from. */
export function planWorks(state: AddOnState, effective: EffectiveConfigs, version: string, compile: TemplateCompiler): WorksPlan {
  const template = effective.refs.find(isTemplate);
  if (!template) return effective.refs.length === 0 && state.works.length === 0 ? { type: 'hold' } : { type: 'foreign' };
  const { addOn } = state;
  const hash = configSpecHash(effective.refs);
  const renderInputs = inputsDigest(state, hash ?? '', version);
  const deployed = state.works.filter((work) => deployWorkIndex(addOn.key.name, work.key.name) !== undefined);
  if (addOn.status.namespace !== undefined && (isUpToDate(deployed, renderInputs) || isUpstreams(deployed, hash)))
    return { type: 'current' };

  const content = effective.contentOf(template);
  // The record can be seen before the content it names: the next event brings it.
  if (!content) return { type: 'hold' };
  const spec = content['spec'] as unknown as AddOnTemplateSpec;
  const compiled = compile(template.specHash, spec);
  if ('problems' in compiled) return { type: 'problem', message: describe(template, compiled.problems) };
  const input = renderInput(state, effective, compiled, spec);
  if (!input) return { type: 'hold' };
  const rendered: Rendered = render(input);
  if ('problems' in rendered) return { type: 'problem', message: describe(template, rendered.problems) };

  const works = desiredWorks(
    {
      addOnName: addOn.key.name,
      cluster: addOn.key.namespace ?? '',
      version,
      configSpecHash: hash,
      renderInputs,
      owner: ownerOf(state),
      manifests: rendered.manifests,
      authored: spec.agentSpec as unknown as { manifestConfigs?: readonly JsonObject[] },
    },
    deployed,
  );
  return { type: 'write', works, installNamespace: rendered.installNamespace };
}

/** Undefined while the content of the deployment config is not there. */
function renderInput(
  state: AddOnState,
  effective: EffectiveConfigs,
  template: CompiledTemplate,
  spec: AddOnTemplateSpec,
): RenderInput | undefined {
  const config = effective.refs.find(isDeploymentConfig);
  const content = config && effective.contentOf(config);
  if (config && !content) return undefined;
  const name = state.addOn.key.name;
  return {
    addOnName: name,
    clusterName: state.addOn.key.namespace ?? '',
    template,
    credentials: credentialMounts(name, spec.registration ?? []),
    installNamespace: state.addOn.spec.installNamespace,
    settings: ((content?.['spec'] as unknown as AddOnDeploymentConfigSpec | undefined) ?? {}) as RenderInput['settings'],
    clusterRegistries: state.cluster?.imageRegistries ?? [],
  };
}

/** Everything besides the configurations that rendering looks at; equal digest, equal output. */
function inputsDigest({ addOn, cluster }: AddOnState, configs: string, version: string): string {
  const inputs = {
    renderer: RENDERER,
    addOn: addOn.key.name,
    cluster: addOn.key.namespace ?? '',
    owner: addOn.uid,
    version,
    configs,
    installNamespace: addOn.spec.installNamespace ?? '',
    registries: cluster?.imageRegistries ?? [],
  };
  return sha256Hex(canonicalJson(inputs)).slice(0, 32);
}

/** Works of an upstream manager with the same content keep their spec until something changes, so that a takeover re-rolls nothing. */
function isUpstreams(works: readonly WorkRecord[], hash: string | undefined): boolean {
  return works.length > 0 && works.every((work) => work.renderInputs === undefined && work.configSpecHash === hash && !work.isDeleting);
}

function ownerOf({ addOn }: AddOnState): OwnerReference {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    name: addOn.key.name,
    uid: addOn.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function describe(template: PinnedRef, problems: readonly RenderProblem[]): string {
  const lines = problems.slice(0, 5).map(({ manifest, path, message }) => `${manifest}${path === '' ? '' : ` at ${path}`}: ${message}`);
  const more = problems.length > 5 ? ` (and ${problems.length - 5} more)` : '';
  return `${configName(template)}: ${lines.join('; ')}${more}`;
}
