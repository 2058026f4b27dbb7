import {
  type AddOnDeploymentConfigSpec,
  CLUSTER_NAME_VARIABLE,
  DEFAULT_INSTALL_NAMESPACE,
  HUB_KUBECONFIG_PATH,
  HUB_KUBECONFIG_VARIABLE,
  INSTALL_NAMESPACE_VARIABLE,
  RENDER_MESSAGES,
  authoredNamespace,
  repeatedObjects,
} from '@outrigger/api';
import type { Json, JsonObject } from '@outrigger/core';
import type { ImageRegistry } from '../observed/clusters.js';
import { overrideImages } from './images.js';
import { type Mount, injectEnv, injectMounts } from './inject.js';
import { isNamespace, moveToNamespace, requestedNamespace, withOneNamespace } from './namespace.js';
import { placeOnNodes, requireResources } from './placement.js';
import { proxyInjection } from './proxy.js';
import type { Renderer } from './renderers.js';
import { isLargerThan } from './size.js';
import { type CompiledTemplate, type RenderProblem, type Values, manifestName } from './template.js';
import { changePods, type PodChange } from '../manifests/workloads.js';

export interface RenderInput {
  readonly renderer: Renderer;
  readonly addOnName: string;
  readonly clusterName: string;
  readonly template: CompiledTemplate;
  /** One mount per registration of the template, in the same order. */
  readonly credentials: readonly Mount[];
  readonly installNamespace: string | undefined;
  /** The spec of the AddOnDeploymentConfig in effect; empty if there is none. */
  readonly settings: AddOnDeploymentConfigSpec;
  /** The registries in the cluster's image-registries annotation. Registries in the deployment config replace them. */
  readonly clusterRegistries: readonly ImageRegistry[];
}

export type Rendered =
  | { readonly manifests: readonly JsonObject[]; readonly installNamespace: string }
  | { readonly problems: readonly RenderProblem[] };

/** Renders the manifests of an add-on for one cluster. The result depends only on the template, the cluster's settings and the renderer. */
export function render(input: RenderInput): Rendered {
  const { renderer } = input;
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
    injectEnv([...presetEnv(input, values), ...proxy.env]),
    injectMounts([...input.credentials, ...proxy.mounts], renderer.volumeMode),
    placeOnNodes(input.settings.nodePlacement),
    overrideImages(input.settings.registries ?? input.clusterRegistries),
    requireResources(input.settings.resourceRequirements ?? []),
  ]);
  const authored = instantiated.manifests.map((manifest) => changePods(manifest, renderer.decoratedKinds, change));
  const grown = authored.filter((manifest, at) => manifest !== instantiated.manifests[at]);
  if (isLargerThan(grown, MAX_DECORATED)) {
    return { problems: [{ manifest: 'AddOnDeploymentConfig', path: 'spec', message: RENDER_MESSAGES.tooLarge(MAX_DECORATED) }] };
  }
  const problems = renderer.refusesRepeatedObjects ? repetitions(authored, requested) : [];
  if (problems.length > 0) return { problems };
  const manifests = inNamespace([...authored, ...proxy.manifests], requested);
  return { manifests: requested === undefined ? manifests : withOneNamespace(manifests), installNamespace };
}

/**
 * Maximum number of characters in all changed workloads after injection. Proxy and resource settings are repeated in each container, so a
 * small input can produce a large output.
 */
const MAX_DECORATED = 16 * 1024 * 1024;

function inNamespace(manifests: readonly JsonObject[], requested: string | undefined): readonly JsonObject[] {
  return requested === undefined ? manifests : manifests.map((manifest) => moveToNamespace(manifest, requested));
}

/**
 * Reports manifests that describe the same object, including those that do so only after they are moved to the requested namespace. Moved
 * Namespaces are merged instead.
 */
function repetitions(authored: readonly JsonObject[], requested: string | undefined): readonly RenderProblem[] {
  const isCompared = (manifest: Json): boolean => requested === undefined || !isNamespace(manifest as JsonObject);
  const asAuthored = new Set(repeatedObjects(authored, isCompared).map(({ second }) => second));
  return repeatedObjects(inNamespace(authored, requested), isCompared).map(({ first, second }) => ({
    manifest: manifestName(authored[second] ?? null, second),
    path: '',
    message: RENDER_MESSAGES.repeatedObject(first, second, asAuthored.has(second) ? undefined : requested),
  }));
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

interface Instantiated {
  readonly manifests: readonly JsonObject[];
  readonly installNamespace: string;
  readonly values: Values;
}

/** Fills in the template. If no namespace is requested, INSTALL_NAMESPACE is the namespace that the manifests name. */
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

/**
 * Returns the values of the variables. Later values take precedence, so a deployment config can set HUB_KUBECONFIG, but not CLUSTER_NAME or
 * INSTALL_NAMESPACE.
 */
function valuesFor(input: RenderInput, installNamespace: string): Values {
  return new Map([
    [HUB_KUBECONFIG_VARIABLE, HUB_KUBECONFIG_PATH],
    ...(input.settings.customizedVariables ?? []).map(({ name, value }) => [name, value] as const),
    [CLUSTER_NAME_VARIABLE, input.clusterName],
    [INSTALL_NAMESPACE_VARIABLE, installNamespace],
  ]);
}

/** The variables that containers get in their env; they depend on the renderer. Every template can use all of these variables. */
function presetEnv({ renderer, credentials, settings }: RenderInput, values: Values): { name: string; value: string }[] {
  const isAlways = renderer.presetEnv === 'always';
  const names = [
    ...(isAlways || credentials.length > 0 ? [HUB_KUBECONFIG_VARIABLE] : []),
    CLUSTER_NAME_VARIABLE,
    ...(isAlways || settings.agentInstallNamespace ? [INSTALL_NAMESPACE_VARIABLE] : []),
  ];
  return names.map((name) => ({ name, value: values.get(name) ?? '' }));
}

function allOf(changes: readonly PodChange[]): PodChange {
  return (podSpec, workload) => changes.reduce((result, change) => change(result, workload), podSpec);
}
