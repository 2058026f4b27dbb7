import {
  CLUSTER_NAME_VARIABLE,
  HUB_KUBECONFIG_VARIABLE,
  HUB_KUBECONFIG_VOLUME,
  INSTALL_NAMESPACE_VARIABLE,
  PROXY_CA_VARIABLE,
  PROXY_CA_VOLUME,
} from '@outrigger/api';
import { type Json, type JsonObject, deepEqual, isJsonObject, objectOrEmpty } from '@outrigger/core';
import { groupKind } from '../manifests/workloads.js';
import { manifestId } from './identity.js';

/** The pod template of a Job in an existing work. */
export interface ExistingJob {
  readonly id: string;
  readonly podTemplate: JsonObject;
}

export function existingJobs(manifests: readonly JsonObject[]): readonly ExistingJob[] {
  return manifests.flatMap((manifest) => {
    const podTemplate = podTemplateOf(manifest);
    return podTemplate ? [{ id: manifestId(manifest), podTemplate }] : [];
  });
}

/**
 * Returns the manifest with the existing pod template if the two differ only in parts that rendering adds or replaces. The pod template of
 * a Job is immutable, so after a change of the renderer or the deployment config the cluster's API server would otherwise reject the Job. A
 * change by the add-on author is written unmodified; the API server rejects it and reports the reason.
 */
export function withExistingPodTemplate(manifest: JsonObject, existing: ReadonlyMap<string, JsonObject>): JsonObject {
  if (existing.size === 0) return manifest;
  const rendered = podTemplateOf(manifest);
  const kept = rendered && existing.get(manifestId(manifest));
  if (!kept || !deepEqual(authoredPart(rendered), authoredPart(kept))) return manifest;
  return { ...manifest, spec: { ...(manifest['spec'] as JsonObject), template: kept } };
}

function podTemplateOf(manifest: JsonObject): JsonObject | undefined {
  const spec = groupKind(manifest) === 'batch/Job' ? manifest['spec'] : undefined;
  const template = isJsonObject(spec) ? spec['template'] : undefined;
  return isJsonObject(template) ? template : undefined;
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
const INJECTED_ENV: ReadonlySet<Json | undefined> = new Set([
  HUB_KUBECONFIG_VARIABLE,
  CLUSTER_NAME_VARIABLE,
  INSTALL_NAMESPACE_VARIABLE,
  PROXY_CA_VARIABLE,
  ...PROXY_VARIABLES,
  ...PROXY_VARIABLES.map((name) => name.toLowerCase()),
]);
const INJECTED_VOLUMES: ReadonlySet<Json | undefined> = new Set([HUB_KUBECONFIG_VOLUME, PROXY_CA_VOLUME]);
/** Volumes of custom signers are named after the signer. */
const SIGNER_VOLUME_PREFIX = 'cert-';

/** Returns a pod template without the parts that a renderer may add or replace. */
function authoredPart(template: JsonObject): Json {
  const { nodeSelector: _, tolerations: __, volumes, containers, initContainers, ...spec } = objectOrEmpty(template['spec']);
  return {
    ...template,
    spec: {
      ...spec,
      volumes: withoutInjected(volumes, isInjectedVolume),
      containers: listOf(containers).map(authoredContainer),
      initContainers: listOf(initContainers).map(authoredContainer),
    },
  };
}

function authoredContainer(container: Json): Json {
  if (!isJsonObject(container)) return container;
  const { resources: _, image, env, volumeMounts, ...rest } = container;
  return {
    ...rest,
    // A registry replaces the beginning of an image name, never its last segment.
    image: typeof image === 'string' ? image.slice(image.lastIndexOf('/') + 1) : null,
    env: withoutInjected(env, (name) => INJECTED_ENV.has(name)),
    volumeMounts: withoutInjected(volumeMounts, isInjectedVolume),
  };
}

function isInjectedVolume(name: Json | undefined): boolean {
  return INJECTED_VOLUMES.has(name) || (typeof name === 'string' && name.startsWith(SIGNER_VOLUME_PREFIX));
}

function withoutInjected(list: Json | undefined, isInjected: (name: Json | undefined) => boolean): readonly Json[] {
  return listOf(list).filter((item) => !(isJsonObject(item) && isInjected(item['name'])));
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
