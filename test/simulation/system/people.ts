import {
  ADDON_GROUP,
  DETACH_ANNOTATION,
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placements,
} from '@outrigger/api';
import {
  type Json,
  type JsonObject,
  type Kind,
  type KubeObject,
  type ObjectKey,
  apiVersionOf,
  asJson,
  isApiError,
  keyOf,
} from '@outrigger/core';
import { type Client, ConnectionError } from '@outrigger/kube';
import {
  CLUSTERS,
  OWN_CONFIG,
  type Step,
  declaration,
  deploymentConfig,
  initialPlacement,
  managedCluster,
  placement,
  strategyOfEntries,
  template,
} from '@outrigger/simulator';

/**
 * Executes a user's step on a real API server. A step that does not apply, such as an edit of a missing object, does nothing. Returns
 * whether the server could handle the step: it cannot while a webhook that must answer does not. If the connection breaks, or no answer
 * comes, the user cannot know, so it returns false too.
 */
export async function actOnHub(hub: Client, step: Step): Promise<boolean> {
  try {
    await act(hub, step);
    return true;
  } catch (error) {
    if (error instanceof ConnectionError) return false;
    if (!isApiError(error)) throw error;
    return error.code < 500;
  }
}

async function act(hub: Client, step: Step): Promise<void> {
  const merge = (kind: Kind, key: ObjectKey, patch: JsonObject): Promise<KubeObject> => hub.patch(kind, key, { type: 'merge', patch });
  switch (step.do) {
    case 'declare':
      await put(hub, clusterManagementAddOns, declaration(step.addOn, step.strategy));
      return;
    case 'delete declaration':
      await hub.delete(clusterManagementAddOns, { name: step.addOn });
      return;
    case 'edit template':
      await put(hub, addOnTemplates, template(step.addOn, step.version, step.content));
      return;
    case 'edit config':
      await put(hub, addOnDeploymentConfigs, deploymentConfig(step.addOn, step.level));
      return;
    case 'edit everything':
      await put(hub, clusterManagementAddOns, declaration(step.addOn, step.strategy));
      await put(hub, addOnTemplates, template(step.addOn, step.version, step.content));
      for (const cluster of CLUSTERS) await label(hub, cluster, { fleet: step.clusters.includes(cluster) ? 'yes' : null });
      return;
    case 'label':
      await label(hub, step.cluster, { fleet: step.fleet ? 'yes' : null, canary: step.canary ? 'yes' : null });
      return;
    case 'group size':
      await put(hub, placements, placement('all', { fleet: 'yes' }, step.size, true));
      return;
    case 'pause':
      await merge(addOnRollouts, { name: step.addOn }, { spec: { paused: step.paused ? true : null } });
      return;
    case 'pin': {
      const rollout = await hub.get(addOnRollouts, { name: step.addOn });
      const revision = step.back === undefined ? null : (rollout.status?.history?.[step.back]?.revision ?? 77);
      await merge(addOnRollouts, { name: step.addOn }, { spec: { pinnedRevision: revision } });
      return;
    }
    case 'confirm': {
      const rollout = await hub.get(addOnRollouts, { name: step.addOn });
      const count = rollout.status?.pendingRemoval?.count;
      if (count !== undefined) await merge(addOnRollouts, { name: step.addOn }, { spec: { confirmRemoval: count + step.off } });
      return;
    }
    case 'override version':
      await merge(managedClusterAddOns, addOnKey(step), { spec: { installVersion: step.version ?? null } });
      return;
    case 'override config': {
      const own = { group: ADDON_GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name: OWN_CONFIG };
      await merge(managedClusterAddOns, addOnKey(step), { spec: { configs: step.isSet ? [own] : null } });
      return;
    }
    case 'install by hand': {
      const { kind } = managedClusterAddOns;
      await hub.create(managedClusterAddOns, { apiVersion: apiVersionOf(managedClusterAddOns), kind, metadata: addOnKey(step), spec: {} });
      return;
    }
    case 'uninstall by hand':
      await hub.delete(managedClusterAddOns, addOnKey(step));
      return;
    case 'join': {
      const labels = { ...(step.fleet ? { fleet: 'yes' } : {}), ...(step.canary ? { canary: 'yes' } : {}) };
      await hub.create(managedClusters, managedCluster(step.cluster, labels));
      return;
    }
    case 'detach':
      if (step.isForced)
        await merge(managedClusters, { name: step.cluster }, { metadata: { annotations: { [DETACH_ANNOTATION]: 'forced' } } });
      await hub.delete(managedClusters, { name: step.cluster });
      return;
    case 'edit entries':
      await replaceInSpec(hub, step.addOn, { installStrategy: strategyOfEntries(step.entries) });
      return;
    case 'edit dependencies':
      await replaceInSpec(hub, step.addOn, { dependencies: asJson(step.dependencies) });
      return;
    case 'create placement':
      await hub.create(placements, initialPlacement(step.placement));
      return;
    case 'delete placement':
      await hub.delete(placements, { namespace: 'default', name: step.placement });
      return;
    default:
      // Only the first layer of the simulation executes steps about policies and about users of clusters.
      return;
  }
}

/** Replaces whole fields in the spec of a declaration. */
async function replaceInSpec(hub: Client, name: string, fields: JsonObject): Promise<void> {
  const old = await hub.get(clusterManagementAddOns, { name });
  await hub.replace(clusterManagementAddOns, { ...old, spec: { ...old.spec, ...fields } } as KubeObject);
}

function addOnKey({ cluster, addOn }: { readonly cluster: string; readonly addOn: string }): { namespace: string; name: string } {
  return { namespace: cluster, name: addOn };
}

/** Creates the object, or replaces its spec. */
export async function put(hub: Client, kind: Kind, object: KubeObject): Promise<void> {
  try {
    await hub.create(kind, object);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const old = await hub.get(kind, keyOf(object));
    const { spec } = object as unknown as { spec: Json };
    await hub.replace(kind, { ...old, spec } as KubeObject);
  }
}

async function label(hub: Client, name: string, labels: Readonly<Record<string, string | null>>): Promise<void> {
  try {
    await hub.patch(managedClusters, { name }, { type: 'merge', patch: { metadata: { labels } } });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}
