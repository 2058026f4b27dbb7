import {
  ADDON_GROUP,
  type AddOnRollout,
  DETACH_ANNOTATION,
  type ManagedClusterAddOn,
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placements,
} from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, type ObjectKey, apiVersionOf, keyOf } from '@outrigger/core';
import type { PersonStep } from '../history/steps.js';
import { CLUSTERS, OWN_CONFIG, declaration, deploymentConfig, managedCluster, placement, template } from './objects.js';
import type { World } from './world.js';

const PERSON = { name: 'person' };

/** Executes a step of a user. A step that does not apply (such as an edit of a missing object) does nothing. */
export function actAsPerson(world: World, step: PersonStep): void {
  world.person(() => act(world, step));
}

function act(world: World, step: PersonStep): void {
  const { api } = world;
  switch (step.do) {
    case 'declare':
      put(world, clusterManagementAddOns, declaration(step.addOn, step.strategy));
      return;
    case 'delete declaration':
      api.remove(PERSON, clusterManagementAddOns, { name: step.addOn });
      return;
    case 'edit template':
      put(world, addOnTemplates, template(step.addOn, step.version, step.content));
      return;
    case 'edit config':
      put(world, addOnDeploymentConfigs, deploymentConfig(step.addOn, step.level));
      return;
    case 'edit everything':
      put(world, clusterManagementAddOns, declaration(step.addOn, step.strategy));
      put(world, addOnTemplates, template(step.addOn, step.version, step.content));
      for (const cluster of CLUSTERS) label(world, cluster, { fleet: step.clusters.includes(cluster) ? 'yes' : null });
      return;
    case 'label':
      label(world, step.cluster, { fleet: step.fleet ? 'yes' : null, canary: step.canary ? 'yes' : null });
      return;
    case 'group size':
      put(world, placements, placement('all', { fleet: 'yes' }, step.size, true));
      return;
    case 'pause':
      api.patch(PERSON, addOnRollouts, { name: step.addOn }, { spec: { paused: step.paused ? true : null } });
      return;
    case 'pin':
      pin(world, step.addOn, step.back);
      return;
    case 'confirm': {
      const rollout = api.get(addOnRollouts, { name: step.addOn });
      const count = rollout.status?.pendingRemoval?.count;
      if (count !== undefined) api.patch(PERSON, addOnRollouts, { name: step.addOn }, { spec: { confirmRemoval: count + step.off } });
      return;
    }
    case 'override version':
      edit(world, { namespace: step.cluster, name: step.addOn }, { installVersion: step.version ?? null });
      return;
    case 'override config': {
      const own = { group: ADDON_GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name: OWN_CONFIG };
      edit(world, { namespace: step.cluster, name: step.addOn }, { configs: step.isSet ? [own] : null });
      return;
    }
    case 'install by hand':
      api.create(PERSON, managedClusterAddOns, handMade(step.cluster, step.addOn));
      return;
    case 'uninstall by hand':
      api.remove(PERSON, managedClusterAddOns, { namespace: step.cluster, name: step.addOn });
      return;
    case 'join':
      api.create(PERSON, managedClusters, managedCluster(step.cluster, labelsOf(step)));
      return;
    case 'detach':
      if (step.isForced) {
        api.patch(PERSON, managedClusters, { name: step.cluster }, { metadata: { annotations: { [DETACH_ANNOTATION]: 'forced' } } });
      }
      api.remove(PERSON, managedClusters, { name: step.cluster });
  }
}

function labelsOf({ fleet, canary }: { readonly fleet: boolean; readonly canary: boolean }): Readonly<Record<string, string>> {
  return { ...(fleet ? { fleet: 'yes' } : {}), ...(canary ? { canary: 'yes' } : {}) };
}

/** Creates the object, or replaces its spec. */
function put(world: World, kind: Kind, object: KubeObject): void {
  const key = keyOf(object);
  const { spec } = object as unknown as { spec: JsonObject };
  const old = world.api.find(kind, key);
  if (!old) world.api.create(PERSON, kind, object);
  else world.api.replace(PERSON, kind, { ...old, spec } as KubeObject);
}

function label({ api }: World, name: string, labels: Readonly<Record<string, string | null>>): void {
  if (api.find(managedClusters, { name })) api.patch(PERSON, managedClusters, { name }, { metadata: { labels } });
}

function pin({ api }: World, name: string, back: number | undefined): void {
  const rollout: AddOnRollout = api.get(addOnRollouts, { name });
  const history = rollout.status?.history ?? [];
  const revision = back === undefined ? null : (history[back]?.revision ?? 77);
  api.patch(PERSON, addOnRollouts, { name }, { spec: { pinnedRevision: revision } });
}

function edit({ api }: World, key: ObjectKey, spec: JsonObject): void {
  if (api.find(managedClusterAddOns, key)) api.patch(PERSON, managedClusterAddOns, key, { spec });
}

function handMade(cluster: string, addOn: string): ManagedClusterAddOn {
  const metadata = { namespace: cluster, name: addOn };
  return { apiVersion: apiVersionOf(managedClusterAddOns), kind: managedClusterAddOns.kind, metadata, spec: {} };
}
