import { nameOf } from '@outrigger/core';
import {
  ADDON_GROUP,
  type ClusterManagementAddOn,
  type ManagedClusterAddOn,
  addOnRollouts,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements,
} from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { refKey, toRef } from '@outrigger/rules/configuration';
import { snapshotLookups } from '@outrigger/rules/why';
import { requireClusters } from '../../fleet/clusters.js';
import { type NamedLayer, namedLayers } from '../../fleet/config-layers.js';
import { find, listOf } from '../../fleet/objects.js';
import { ifAllowed } from '../../fleet/readable.js';
import { requireAddOn } from '../../fleet/versions.js';

export interface AddOnLayers {
  readonly managementAddOn: ClusterManagementAddOn;
  readonly installed: ManagedClusterAddOn | undefined;
  readonly layers: readonly NamedLayer[];
  /** The other declarations. They are needed to find out whether another add-on uses the same config. */
  readonly others: readonly ClusterManagementAddOn[];
}

/** Reads the layers of an add-on, on one cluster if `cluster` is given. */
export async function readLayers(hub: Client, addOn: string, cluster: string | undefined): Promise<AddOnLayers> {
  const managementAddOn = cluster === undefined ? await requireAddOn(hub, addOn) : await ifAllowed(requireAddOn(hub, addOn));
  if (!managementAddOn) return ownLayers(hub, addOn, cluster ?? '');
  const others = (await listOf(hub, clusterManagementAddOns)).filter((one) => nameOf(one) !== addOn);
  if (cluster === undefined) return { managementAddOn, installed: undefined, layers: namedLayers(managementAddOn), others };
  await requireClusters(hub, [cluster]);
  const [found, chosen, decisions, rollout, installed] = await Promise.all([
    find(hub, managedClusters, { name: cluster }),
    listOf(hub, placements),
    listOf(hub, placementDecisions),
    find(hub, addOnRollouts, { name: addOn }),
    find(hub, managedClusterAddOns, { namespace: cluster, name: addOn }),
  ]);
  const lookups = snapshotLookups({ clusters: found ? [found] : [], placements: chosen, decisions });
  return {
    managementAddOn,
    installed,
    layers: namedLayers(managementAddOn, { cluster, installed, lookups, record: rollout?.status }),
    others,
  };
}

/** Returns the layers that a cluster owner may read: the overrides, and the configs in effect from any layer. */
async function ownLayers(hub: Client, addOn: string, cluster: string): Promise<AddOnLayers> {
  const installed = await find(hub, managedClusterAddOns, { namespace: cluster, name: addOn });
  const inEffect = (installed?.status?.configReferences ?? []).map(({ group, resource, desiredConfig, name, namespace }) =>
    toRef({
      ...(group === undefined ? {} : { group }),
      resource,
      ...(desiredConfig ?? { name, ...(namespace === undefined ? {} : { namespace }) }),
    }),
  );
  const overrides = (installed?.spec.configs ?? []).map(toRef);
  const others = inEffect.filter((ref) => !overrides.some((own) => refKey(own) === refKey(ref)));
  const managementAddOn: ClusterManagementAddOn = {
    apiVersion: `${ADDON_GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name: addOn },
    spec: {},
  };
  const layers = [
    { name: 'fleet', refs: others },
    { name: `override on ${cluster}`, refs: overrides },
  ].filter(({ refs }) => refs.length > 0);
  return { managementAddOn, installed, layers, others: [] };
}
