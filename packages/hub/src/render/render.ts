import {
  CLUSTER_NAME_VARIABLE,
  DEFAULT_INSTALL_NAMESPACE,
  HUB_KUBECONFIG_PATH,
  HUB_KUBECONFIG_VARIABLE,
  INSTALL_NAMESPACE_VARIABLE,
  RENDER_MESSAGES,
} from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { type ImageRegistry, overrideImages } from './images.js';
import { type Mount, injectEnv, injectMounts } from './inject.js';
import { authoredNamespace, moveToNamespace, requestedNamespace } from './namespace.js';
import { type ContainerResources, type NodePlacement, placeOnNodes, requireResources } from './placement.js';
import { type ProxyConfig, proxyInjection } from './proxy.js';
import type { CompiledTemplate, RenderProblem, Values } from './template.js';
import { type PodChange, changePods } from './workloads.js';

/** The part of an AddOnDeploymentConfig that rendering reads. */
export interface DeploymentSettings {
  readonly customizedVariables?: readonly { readonly name: string; readonly value: string }[];
  readonly nodePlacement?: NodePlacement;
  readonly registries?: readonly ImageRegistry[];
  readonly proxyConfig?: ProxyConfig;
  readonly agentInstallNamespace?: string;
  readonly resourceRequirements?: readonly ContainerResources[];
}

export interface RenderInput {
  readonly addOnName: string;
  readonly clusterName: string;
  readonly template: CompiledTemplate;
  /** One per registration of the template, in its order. */
  readonly credentials: readonly Mount[];
  readonly installNamespace: string | undefined;
  readonly settings: DeploymentSettings;
  /** From the cluster's image-registries annotation; the deployment config's replace them. */
  readonly clusterRegistries: readonly ImageRegistry[];
}

export type Rendered =
  | { readonly manifests: readonly JsonObject[]; readonly installNamespace: string }
  | { readonly problems: readonly RenderProblem[] };

/** Raised whenever an unchanged input renders to other bytes; part of every revision, so that it rolls out like any change. */
export const RENDERER = 1;

/** What one cluster gets of an add-on: a pure function of the template and the cluster's settings. */
export function render(input: RenderInput): Rendered {
  const { caBundle } = input.settings.proxyConfig ?? {};
  if (caBundle !== undefined && !isBase64(caBundle)) {
    const at = { manifest: 'AddOnDeploymentConfig', path: 'spec.proxyConfig.caBundle' };
    return { problems: [{ ...at, message: RENDER_MESSAGES.badCaBundle }] };
  }
  const requested = requestedNamespace(input.installNamespace, input.settings.agentInstallNamespace);
  const instantiated = instantiateIn(input, requested);
  if ('problems' in instantiated) return instantiated;

  const { installNamespace, values } = instantiated;
  const proxy = proxyInjection(input.settings.proxyConfig, input.addOnName, installNamespace);
  const change = allOf([
    injectEnv([...presetEnv(values), ...proxy.env]),
    injectMounts([...input.credentials, ...proxy.mounts]),
    placeOnNodes(input.settings.nodePlacement),
    overrideImages(input.settings.registries ?? input.clusterRegistries),
    requireResources(input.settings.resourceRequirements ?? []),
  ]);
  const changed = [...instantiated.manifests.map((manifest) => changePods(manifest, change)), ...proxy.manifests];
  return { manifests: requested === undefined ? changed : moveToNamespace(changed, requested), installNamespace };
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

interface Instantiated {
  readonly manifests: readonly JsonObject[];
  readonly installNamespace: string;
  readonly values: Values;
}

/** Where nobody asked for a namespace the manifests decide it, and INSTALL_NAMESPACE repeats what they say. */
function instantiateIn(input: RenderInput, requested: string | undefined): Instantiated | { readonly problems: readonly RenderProblem[] } {
  const first = requested ?? DEFAULT_INSTALL_NAMESPACE;
  const values = valuesFor(input, first);
  const result = input.template.instantiate(values);
  if ('problems' in result) return result;
  const installNamespace = requested ?? authoredNamespace(result.manifests);
  if (installNamespace === first) return { manifests: result.manifests, installNamespace, values };
  const again = valuesFor(input, installNamespace);
  const second = input.template.variables.includes(INSTALL_NAMESPACE_VARIABLE) ? input.template.instantiate(again) : result;
  return 'problems' in second ? second : { manifests: second.manifests, installNamespace, values: again };
}

/** Later ones win: a person may move HUB_KUBECONFIG, nobody may pose as another cluster. */
function valuesFor(input: RenderInput, installNamespace: string): Values {
  return new Map([
    [HUB_KUBECONFIG_VARIABLE, HUB_KUBECONFIG_PATH],
    ...(input.settings.customizedVariables ?? []).map(({ name, value }) => [name, value] as const),
    [CLUSTER_NAME_VARIABLE, input.clusterName],
    [INSTALL_NAMESPACE_VARIABLE, installNamespace],
  ]);
}

function presetEnv(values: Values): { name: string; value: string }[] {
  return [HUB_KUBECONFIG_VARIABLE, CLUSTER_NAME_VARIABLE, INSTALL_NAMESPACE_VARIABLE].map((name) => ({
    name,
    value: values.get(name) ?? '',
  }));
}

function allOf(changes: readonly PodChange[]): PodChange {
  return (podSpec, workload) => changes.reduce((result, change) => change(result, workload), podSpec);
}
