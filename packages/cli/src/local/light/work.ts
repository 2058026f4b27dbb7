import type { AppliedObject } from '@outrigger/agent';
import { DEFAULT_INSTALL_NAMESPACE, type ManifestWork } from '@outrigger/api';
import { runningStatus } from '@outrigger/control-plane';
import { type Kind, type KubeObject, conditionStatus, findCondition, isJsonObject } from '@outrigger/core';

/** Returns the kind of a manifest, or undefined if a simulated cluster does not serve it. */
export type KindOf = (apiVersion: string, kind: string) => Kind | undefined;

/** The namespaces that exist on every simulated cluster with an agent. */
const PRESENT_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public', DEFAULT_INSTALL_NAMESPACE];
/** The prefix of annotations with which a manifest requests a simulated behavior other than running. */
const SIMULATION_PREFIX = 'sim.outrigger.dev/';
const WORKLOADS: readonly string[] = ['Deployment', 'DaemonSet', 'StatefulSet', 'Job'];
const NODES = 1;

/**
 * Returns the objects that a simulated cluster has after it has applied a work and all its workloads run. Returns undefined if the result
 * depends on more than the work: on an executor's permissions, on other CRDs or namespaces, or on objects that an API server may reject.
 */
export function objectsOf(work: ManifestWork, kindOf: KindOf, now: string): readonly AppliedObject[] | undefined {
  const { workload, executor, deleteOption, manifestConfigs = [] } = work.spec;
  if (executor !== undefined || (deleteOption && deleteOption.propagationPolicy !== 'Foreground')) return undefined;
  if (manifestConfigs.some(({ updateStrategy }) => updateStrategy !== undefined && updateStrategy.type !== 'Update')) return undefined;
  const manifests: readonly KubeObject[] = workload?.manifests ?? [];
  const own = manifests.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata?.name ?? '');
  const names = new Set<string>();
  const objects: AppliedObject[] = [];
  for (const manifest of manifests) {
    const kind = kindOf(manifest.apiVersion, manifest.kind);
    if (!kind || !isPlain(manifest)) return undefined;
    const namespace = kind.namespaced ? manifest.metadata.namespace || 'default' : '';
    if (kind.namespaced && !PRESENT_NAMESPACES.includes(namespace) && !own.includes(namespace)) return undefined;
    const id = `${kind.plural}.${kind.group}/${namespace}/${manifest.metadata.name}`;
    if (names.has(id)) return undefined;
    names.add(id);
    objects.push({ kind, object: running(manifest, work.metadata.generation ?? 1, now) });
  }
  return objects;
}

/** Whether the status of a work reports its current generation as applied and everything as available. */
export function isReported({ metadata, status }: ManifestWork): boolean {
  const applied = findCondition(status?.conditions, 'Applied');
  return (
    applied?.status === 'True' &&
    applied.observedGeneration === metadata.generation &&
    conditionStatus(status?.conditions, 'Available') === 'True'
  );
}

/** Whether an API server is certain to accept the manifest and no annotation requests a simulated behavior. */
function isPlain(manifest: KubeObject): boolean {
  const { metadata } = manifest;
  if (!metadata?.name || Object.keys(metadata.annotations ?? {}).some((name) => name.startsWith(SIMULATION_PREFIX))) return false;
  return !WORKLOADS.includes(manifest.kind) || isCompleteWorkload(manifest);
}

/** Whether a workload has containers with images and, if it has a selector, labels that the selector matches. */
function isCompleteWorkload(manifest: KubeObject): boolean {
  const { spec } = manifest as { readonly spec?: unknown };
  if (!isJsonObject(spec) || !isJsonObject(spec['template'])) return false;
  const { metadata, spec: podSpec } = spec['template'];
  const containers = isJsonObject(podSpec) && Array.isArray(podSpec['containers']) ? podSpec['containers'] : [];
  if (containers.length === 0 || !containers.every((one) => isJsonObject(one) && one['name'] && one['image'])) return false;
  if (manifest.kind === 'Job') return true;
  const wanted = isJsonObject(spec['selector']) ? spec['selector']['matchLabels'] : undefined;
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  return isJsonObject(wanted) && isJsonObject(labels) && Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

function running(manifest: KubeObject, generation: number, now: string): KubeObject {
  const object = { ...manifest, metadata: { ...manifest.metadata, generation } };
  const status = runningStatus(object, NODES, now);
  return status ? ({ ...object, status } as KubeObject) : object;
}
