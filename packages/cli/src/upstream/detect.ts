import { type ClusterManagementAddOn, type Deployment, clusterManagementAddOns, deployments, shell } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { collect, listOf, nameOf } from '../fleet/objects.js';

/** Which of upstream's controllers run on this hub. */
export interface Upstream {
  /** `namespace/name` of the Deployments that were found running. */
  readonly addOnManager?: string;
  readonly registration?: string;
  readonly placement?: string;
}

/** The names upstream's operator gives its Deployments, in whatever namespace. */
const DEPLOYMENTS: Readonly<Record<keyof Upstream, readonly string[]>> = {
  addOnManager: ['cluster-manager-addon-manager-controller', 'addon-manager-controller'],
  registration: ['cluster-manager-registration-controller', 'registration-controller'],
  placement: ['cluster-manager-placement-controller', 'placement-controller'],
};
export const UPSTREAM_DEPLOYMENTS: readonly string[] = Object.values(DEPLOYMENTS).flat();

/** One name at a time: the manager may read these Deployments and no others. */
export async function detectUpstream(hub: Client): Promise<Upstream> {
  const found = await Promise.all(
    UPSTREAM_DEPLOYMENTS.map((name) => collect(hub.listAll(deployments, { fieldSelector: `metadata.name=${name}` }))),
  );
  return upstreamIn(found.flat());
}

/** A Deployment scaled to nothing does nothing: that is how an administrator hands over. */
export function upstreamIn(found: readonly Deployment[]): Upstream {
  const running = found.filter(({ spec }) => (spec?.replicas ?? 1) > 0);
  const named = (names: readonly string[]): string | undefined => {
    const match = running.find((deployment) => names.includes(nameOf(deployment)));
    return match && `${match.metadata.namespace}/${match.metadata.name}`;
  };
  const entries = Object.entries(DEPLOYMENTS).map(([part, names]) => [part, named(names)] as const);
  return Object.fromEntries(entries.filter(([, name]) => name !== undefined));
}

/** Why two managers must not work here, or undefined if they may: upstream's manager runs and there are add-ons both would act on. */
export async function conflictWithUpstream(hub: Client, { addOnManager }: Upstream): Promise<string | undefined> {
  if (addOnManager === undefined) return undefined;
  const shared = (await listOf(hub, clusterManagementAddOns)).filter(isManagedByUpstream).map(nameOf);
  if (shared.length === 0) return undefined;
  const named = `${shared.slice(0, 5).join(', ')}${shared.length > 5 ? `, and ${shared.length - 5} more` : ''}`;
  const scale = shell`kubectl scale deployment ${addOnManager.split('/')[1]} -n ${addOnManager.split('/')[0]} --replicas=0`;
  return `Open Cluster Management's add-on manager (Deployment ${addOnManager}) works on the same add-ons (${named}): stop it with \`${scale}\`, or start with --takeover if something else keeps it from them`;
}

/** Upstream writes installProgressions; what carries our condition is ours already. */
function isManagedByUpstream({ status }: ClusterManagementAddOn): boolean {
  return findCondition(status?.conditions, 'TargetsResolved') === undefined;
}
