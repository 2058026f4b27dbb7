import {
  ADDON_NAME_LABEL,
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  HUB_NAMESPACE,
  KIND_DEFINITIONS,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  convertObject,
  customResourceDefinition,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
} from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import { type JsonObject, type Runtime, findCondition } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { CommandError, EXIT } from '../failure.js';
import { ensure, find, listOf, nameOf } from '../fleet/objects.js';

/** All objects that decide what one cluster gets of one add-on. */
export interface PreviewInput {
  readonly addOn: ClusterManagementAddOn;
  readonly templates: readonly AddOnTemplate[];
  readonly configs: readonly AddOnDeploymentConfig[];
  readonly cluster: ManagedCluster;
  /** The add-on with its overrides on this cluster; not set if the strategy alone decides. */
  readonly installed?: ManagedClusterAddOn;
}

export interface Preview {
  readonly works: readonly ManifestWork[];
  readonly manifests: readonly JsonObject[];
  readonly version: string;
}

const POLL_MS = 50;
const LIMIT_MS = 20_000;

/**
 * The works that the cluster would get. The real manager decides them on an API server in memory, so admission, precedence and rendering
 * are the same as on a hub, without a second implementation.
 */
export async function preview(input: PreviewInput, runtime: Runtime): Promise<Preview> {
  const server = await createControlPlane({
    runtime,
    storage: 'memory',
    crds: KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind, 'in-process')),
    convert: convertObject,
  });
  await server.start();
  const client = createClient({ transport: server.transport(), runtime, fieldManager: 'outrigger-cli' });
  await ensure(client, namespaces, namespace(HUB_NAMESPACE));
  const manager = createHub({ runtime, client, namespace: HUB_NAMESPACE, placement: false, clusters: false });
  try {
    await declare(client, input);
    await manager.start();
    return await settled(client, input, runtime);
  } finally {
    await manager.stop(0);
    await server.stop();
  }
}

async function declare(client: Client, { addOn, templates, configs, cluster, installed }: PreviewInput): Promise<void> {
  const clusterName = nameOf(cluster);
  const inner = new Set([clusterName, ...configs.map(({ metadata }) => metadata.namespace ?? 'default')]);
  for (const name of inner) await ensure(client, namespaces, namespace(name));
  await client.create(managedClusters, fresh({ ...cluster, spec: { ...cluster.spec, hubAcceptsClient: true } }));
  for (const config of configs) await client.create(addOnDeploymentConfigs, fresh(config));
  for (const template of templates) await client.create(addOnTemplates, fresh(template));
  await client.create(clusterManagementAddOns, fresh(addOn));
  if (installed) await client.create(managedClusterAddOns, fresh(installed));
}

/** Waits until the manager changes nothing any more. Returns the works, or throws with the reason why there are none. */
async function settled(client: Client, input: PreviewInput, runtime: Runtime): Promise<Preview> {
  const key = { namespace: nameOf(input.cluster), name: nameOf(input.addOn) };
  const limit = runtime.clock.monotonic() + LIMIT_MS;
  let last = '';
  for (;;) {
    const addOn = await find(client, managedClusterAddOns, key);
    const works = (await listOf(client, manifestWorks, key.namespace)).filter(
      ({ metadata }) => metadata.labels?.[ADDON_NAME_LABEL] === key.name,
    );
    const problem = problemOf(addOn);
    const seen = JSON.stringify([addOn?.metadata.resourceVersion, works.map(({ metadata }) => metadata.resourceVersion)]);
    const isQuiet = seen === last;
    last = seen;
    if (isQuiet && problem !== undefined) throw new CommandError(`${key.name} on ${key.namespace}: ${problem}`, EXIT.no);
    if (isQuiet && works.length > 0) return result(works, addOn);
    if (runtime.clock.monotonic() > limit)
      throw new CommandError(`${key.name} on ${key.namespace}: the manager decided nothing within ${LIMIT_MS / 1000} s`, EXIT.failed);
    await runtime.timers.sleep(POLL_MS);
  }
}

function problemOf(addOn: ManagedClusterAddOn | undefined): string | undefined {
  const conditions = addOn?.status?.conditions;
  const configured = findCondition(conditions, 'Configured');
  if (configured?.status === 'False' && configured.reason !== 'ConfigurationsNotConfigured')
    return `${configured.reason}: ${configured.message}`;
  const progressing = findCondition(conditions, 'Progressing');
  return progressing?.reason === 'Failed' ? progressing.message : undefined;
}

function result(works: readonly ManifestWork[], addOn: ManagedClusterAddOn | undefined): Preview {
  const ordered = [...works].sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true }));
  return { works: ordered, manifests: manifestsOf(ordered), version: addOn?.status?.installVersion ?? '' };
}

export function manifestsOf(works: readonly ManifestWork[]): readonly JsonObject[] {
  return works.flatMap(({ spec }) => (spec.workload?.manifests ?? []) as unknown as readonly JsonObject[]);
}

function namespace(name: string): { apiVersion: string; kind: string; metadata: { name: string } } {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** An object from a file or another server, in a form that can be created: without status and without the metadata that its server set. */
function fresh<T extends ManagedCluster | ManagedClusterAddOn | AddOnTemplate | AddOnDeploymentConfig | ClusterManagementAddOn>(
  object: T,
): T {
  const { name, namespace: inside, labels, annotations } = object.metadata;
  const { status: _, ...rest } = object as T & { readonly status?: unknown };
  const metadata = {
    ...(name ? { name } : {}),
    ...(inside ? { namespace: inside } : {}),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
  };
  return { ...rest, metadata } as unknown as T;
}
