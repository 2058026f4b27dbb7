import { type ClusterManagementAddOn, type Deployment, clusterManagementAddOns, deployments } from '@outrigger/api';
import { findCondition, shell, nameOf, collect } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { listOf } from '../fleet/objects.js';

/** Upstream's controllers that run on this hub. */
export interface Upstream {
  /** The Deployment that was found running, as `namespace/name`. */
  readonly addOnManager?: string;
  readonly registration?: string;
  readonly placement?: string;
  /** The controller of ManifestWorkReplicaSets. */
  readonly work?: string;
}

/** The names that upstream's operator gives its Deployments; the namespace varies. */
const DEPLOYMENTS: Readonly<Record<keyof Upstream, readonly string[]>> = {
  addOnManager: ['cluster-manager-addon-manager-controller', 'addon-manager-controller'],
  registration: ['cluster-manager-registration-controller', 'registration-controller'],
  placement: ['cluster-manager-placement-controller', 'placement-controller'],
  work: ['cluster-manager-work-controller', 'work-controller'],
};
export const UPSTREAM_DEPLOYMENTS: readonly string[] = Object.values(DEPLOYMENTS).flat();

/** Detects upstream's controllers. Each Deployment is listed by its name, because the manager may not list other Deployments. */
export async function detectUpstream(hub: Client): Promise<Upstream> {
  const found = await Promise.all(
    UPSTREAM_DEPLOYMENTS.map((name) => collect(hub.listAll(deployments, { fieldSelector: `metadata.name=${name}` }))),
  );
  return upstreamIn(found.flat());
}

/** Whether upstream's add-on manager is installed, even if it is scaled to zero. */
export async function isUpstreamInstalled(hub: Client): Promise<boolean> {
  const found = await Promise.all(
    DEPLOYMENTS.addOnManager.map((name) => collect(hub.listAll(deployments, { fieldSelector: `metadata.name=${name}` }))),
  );
  return found.flat().length > 0;
}

/**
 * Returns the controllers that run. Deployments that are scaled to zero are ignored, because administrators scale them down to hand over to
 * Outrigger.
 */
export function upstreamIn(found: readonly Deployment[]): Upstream {
  const running = found.filter(({ spec }) => (spec?.replicas ?? 1) > 0);
  const named = (names: readonly string[]): string | undefined => {
    const match = running.find((deployment) => names.includes(nameOf(deployment)));
    return match && `${match.metadata.namespace}/${match.metadata.name}`;
  };
  const entries = Object.entries(DEPLOYMENTS).map(([part, names]) => [part, named(names)] as const);
  return Object.fromEntries(entries.filter(([, name]) => name !== undefined));
}

/**
 * Returns the reason why this manager must not start, or undefined if it may start. It must not start if upstream's manager runs and there
 * are add-ons that both would manage.
 */
export async function conflictWithUpstream(hub: Client, { addOnManager }: Upstream): Promise<string | undefined> {
  if (addOnManager === undefined) return undefined;
  const shared = (await listOf(hub, clusterManagementAddOns)).filter(isManagedByUpstream).map(nameOf);
  if (shared.length === 0) return undefined;
  const named = `${shared.slice(0, 5).join(', ')}${shared.length > 5 ? `, and ${shared.length - 5} more` : ''}`;
  const scale = shell`kubectl scale deployment ${addOnManager.split('/')[1]} -n ${addOnManager.split('/')[0]} --replicas=0`;
  return `Open Cluster Management's add-on manager (Deployment ${addOnManager}) works on the same add-ons (${named}): stop it with \`${scale}\`, or start with --takeover if something else keeps it from them`;
}

/** Whether upstream's manager may manage the declaration. A declaration with our condition is already managed by Outrigger. */
function isManagedByUpstream({ status }: ClusterManagementAddOn): boolean {
  return findCondition(status?.conditions, 'TargetsResolved') === undefined;
}
