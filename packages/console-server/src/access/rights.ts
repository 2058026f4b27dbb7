import {
  ADDON_GROUP,
  CLUSTER_GROUP,
  OUTRIGGER_GROUP,
  type RbacSubject,
  type ResourceAttributes,
  WORK_GROUP,
  subjectAccessReviews,
} from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import type { FleetState } from '../state/state.js';
import type { Sight } from '../views/sight.js';
import type { Identity } from './identity.js';

/** Maximum number of namespaces in which a user's permissions are checked. */
export const MOST_NAMESPACES = 500;
/** Maximum number of concurrent access reviews. */
const AT_ONCE = 20;

export async function isAllowed(
  client: Client,
  { user, uid, groups, extra }: Identity,
  resourceAttributes: ResourceAttributes,
): Promise<boolean> {
  const { status } = await client.create(subjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user, groups, ...(uid === '' ? {} : { uid }), extra, resourceAttributes },
  });
  return status?.allowed === true;
}

const ADD_ONS: ResourceAttributes = { verb: 'get', group: ADDON_GROUP, resource: 'managedclusteraddons' };
const DECLARATIONS: ResourceAttributes = { verb: 'get', group: ADDON_GROUP, resource: 'clustermanagementaddons' };
const ROLLOUTS: ResourceAttributes = { verb: 'get', group: OUTRIGGER_GROUP, resource: 'addonrollouts' };
const CLUSTERS: ResourceAttributes = { verb: 'get', group: CLUSTER_GROUP, resource: 'managedclusters' };
export const WORKS: ResourceAttributes = { verb: 'get', group: WORK_GROUP, resource: 'manifestworks' };
const APPROVALS: ResourceAttributes = { verb: 'get', group: OUTRIGGER_GROUP, resource: 'rolloutapprovals' };
const DECIDE: ResourceAttributes = { verb: 'create', group: OUTRIGGER_GROUP, resource: 'rolloutapprovals' };
const CHANGE_ROLLOUTS: ResourceAttributes = { verb: 'patch', group: OUTRIGGER_GROUP, resource: 'addonrollouts' };
export const CHANGE_ADD_ONS: ResourceAttributes = { verb: 'patch', group: ADDON_GROUP, resource: 'managedclusteraddons' };

/** The result of the access reviews. Sights with equal fingerprints are equal. */
export interface CheckedSight extends Sight {
  readonly fingerprint: string;
}

/**
 * Asks the API server which objects the user may see. If the user may not see a kind in the whole fleet, it asks for each namespace in
 * which a RoleBinding names the user or a group of the user. Other namespaces are not checked, because only a RoleBinding can grant a
 * permission in a single namespace.
 */
export async function checkSight(client: Client, identity: Identity, state: FleetState): Promise<CheckedSight> {
  const fleetWide = { ADD_ONS, CLUSTERS, DECLARATIONS, ROLLOUTS, APPROVALS, CHANGE_ROLLOUTS, DECIDE };
  const asked = Object.entries(fleetWide).map(async ([name, right]) => [name, await isAllowed(client, identity, right)] as const);
  const may = Object.fromEntries(await Promise.all(asked)) as Record<keyof typeof fleetWide, boolean>;
  const { ADD_ONS: allAddOns, CLUSTERS: allClusters } = may;
  const candidates = allAddOns && allClusters ? [] : candidateNamespaces(state, identity);
  const checked = candidates.slice(0, MOST_NAMESPACES);
  const confirm = (right: (namespace: string) => ResourceAttributes): Promise<readonly string[]> =>
    filterAsync(checked, (namespace) => isAllowed(client, identity, right(namespace)));
  const addOns = new Set(allAddOns ? [] : await confirm((namespace) => ({ ...ADD_ONS, namespace })));
  const clusters = new Set(allClusters ? [] : await confirm((name) => ({ ...CLUSTERS, name })));
  const isTruncated = candidates.length > checked.length;
  return {
    seesAddOns: (cluster) => allAddOns || addOns.has(cluster),
    seesCluster: (cluster) => allClusters || clusters.has(cluster),
    seesDeclarations: may.DECLARATIONS,
    seesRollouts: may.ROLLOUTS,
    seesApprovals: may.APPROVALS,
    mayChangeRollouts: may.CHANGE_ROLLOUTS,
    mayDecide: may.DECIDE,
    isTruncated,
    fingerprint: JSON.stringify([may, [...addOns].sort(), [...clusters].sort(), isTruncated]),
  };
}

/** The fleet's namespaces with a RoleBinding that names the user or a group of the user, sorted by name. */
export function candidateNamespaces(state: FleetState, identity: Identity): readonly string[] {
  const found = new Set<string>();
  for (const [id, subjects] of state.bindings) {
    const namespace = id.slice(0, id.indexOf('/'));
    const isOfFleet = state.clusters.has(namespace) || state.addOns.has(namespace);
    if (isOfFleet && !found.has(namespace) && subjects.some((subject) => names(subject, identity, namespace))) found.add(namespace);
  }
  return [...found].sort();
}

function names({ kind, name, namespace }: RbacSubject, { user, groups }: Identity, home: string): boolean {
  switch (kind) {
    case 'User':
      return name === user;
    case 'Group':
      return groups.includes(name);
    case 'ServiceAccount':
      return user === `system:serviceaccount:${namespace ?? home}:${name}`;
  }
}

async function filterAsync<T>(items: readonly T[], keep: (item: T) => Promise<boolean>): Promise<readonly T[]> {
  const kept: T[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const batch = items.slice(start, start + AT_ONCE);
    const verdicts = await Promise.all(batch.map(keep));
    kept.push(...batch.filter((_, index) => verdicts[index]));
  }
  return kept;
}
