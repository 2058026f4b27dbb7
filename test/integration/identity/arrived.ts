import { type Deployment, type ManagedClusterAddOnStatus, deployments, managedClusterAddOns } from '@outrigger/api';
import { findCondition, isConditionTrue } from '@outrigger/core';
import { ADDON, ADDON_NAMESPACE, CLUSTER, found } from './scenario.js';
import type { TwoServers } from './two-servers.js';

export type Versions = Readonly<Record<'last' | 'install' | 'current', string | undefined>>;

/** Waits until the add-on hello runs this image and is done. Returns the versions that its status reports. */
export async function arrived(world: TwoServers, image: string): Promise<Versions> {
  await world.eventually(`Deployment with ${image}`, async () => {
    const key = { name: 'hello-agent', namespace: ADDON_NAMESPACE };
    const deployment: Deployment | undefined = await found(world.cluster.get(deployments, key));
    if (deployment?.spec?.template?.spec?.containers?.[0]?.image !== image) return undefined;
    await world.runPods(deployment);
    return true;
  });
  const version = `v${image.split(':').at(-1) ?? ''}`;
  const status = await world.eventually(`${image} has succeeded`, async () => {
    const { status: told } = await world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: ADDON });
    // The work reaches the cluster before the status shows the new version. Until then, the status shows the success of the earlier
    // version, so ignore it.
    return told?.installVersion === version && isDone(told) ? told : undefined;
  });
  return { last: status.lastVersion, install: status.installVersion, current: status.currentVersion };
}

function isDone(status: ManagedClusterAddOnStatus | undefined): status is ManagedClusterAddOnStatus {
  const references = status?.configReferences ?? [];
  const isApplied = references.length > 0 && references.every((ref) => ref.desiredConfig?.specHash === ref.lastAppliedConfig?.specHash);
  const isSettled = findCondition(status?.conditions, 'Progressing')?.reason === 'Succeed';
  return isApplied && isSettled && isConditionTrue(status?.conditions, 'Available') && status?.currentVersion === status?.installVersion;
}
