import { type Json, type JsonObject, isJsonObject, objectOrEmpty } from '@outrigger/core';

/** Identifies one manifest of a ManifestWork. */
export interface ResourceIdentifier {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The workload kinds in which an add-on's agent may run, by `group/Kind`. Each has its plural resource name and the path to its pod spec.
 */
const WORKLOADS: Readonly<Record<string, { readonly plural: string; readonly podSpec: readonly string[] }>> = {
  'apps/Deployment': { plural: 'deployments', podSpec: ['spec', 'template', 'spec'] },
  'apps/DaemonSet': { plural: 'daemonsets', podSpec: ['spec', 'template', 'spec'] },
  'apps/StatefulSet': { plural: 'statefulsets', podSpec: ['spec', 'template', 'spec'] },
  'batch/Job': { plural: 'jobs', podSpec: ['spec', 'template', 'spec'] },
  'batch/CronJob': { plural: 'cronjobs', podSpec: ['spec', 'jobTemplate', 'spec', 'template', 'spec'] },
};

export interface Workload {
  /** `deployments` */
  readonly plural: string;
  readonly name: string;
}

/** Changes the pod spec of one workload. Every injection and placement rule has this type. */
export type PodChange = (podSpec: JsonObject, workload: Workload) => JsonObject;

/** Applies `change` to a workload of one of these kinds (`group/Kind`); any other manifest is returned unchanged. */
export function changePods(manifest: JsonObject, kinds: ReadonlySet<string>, change: PodChange): JsonObject {
  const name = groupKind(manifest);
  const kind = kinds.has(name) ? WORKLOADS[name] : undefined;
  if (!kind) return manifest;
  const metadata = objectOrEmpty(manifest['metadata']);
  const workload = { plural: kind.plural, name: String(metadata['name'] ?? '') };
  return changeAt(manifest, kind.podSpec, (podSpec) => change(podSpec, workload));
}

/** Returns group and kind, such as `apps/Deployment`, or `/Pod` for the core group. */
export function groupKind(manifest: JsonObject): string {
  return `${groupOf(manifest)}/${String(manifest['kind'])}`;
}

export function groupOf(manifest: JsonObject): string {
  const apiVersion = String(manifest['apiVersion'] ?? '');
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Applies `change` to every container and init container. */
export function changeContainers(podSpec: JsonObject, change: (container: JsonObject) => JsonObject): JsonObject {
  const changed = (list: Json | undefined): Json | undefined =>
    Array.isArray(list) ? (list as readonly Json[]).map((item) => (isJsonObject(item) ? change(item) : item)) : list;
  const initContainers = changed(podSpec['initContainers']);
  const containers = changed(podSpec['containers']);
  return {
    ...podSpec,
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(containers === undefined ? {} : { containers }),
  };
}

/** Appends the items whose `name` the add-on author has not used. The author's items stay unchanged. */
export function appendByName(list: Json | undefined, entries: readonly JsonObject[]): readonly Json[] {
  const own = Array.isArray(list) ? (list as readonly Json[]) : [];
  const taken = new Set(own.map((item) => (isJsonObject(item) ? item['name'] : undefined)));
  return [...own, ...entries.filter((entry) => !taken.has(entry['name']))];
}

function changeAt(object: JsonObject, path: readonly string[], change: (value: JsonObject) => JsonObject): JsonObject {
  const [head, ...rest] = path;
  if (head === undefined) return change(object);
  const child = object[head];
  return isJsonObject(child) ? { ...object, [head]: changeAt(child, rest, change) } : object;
}
