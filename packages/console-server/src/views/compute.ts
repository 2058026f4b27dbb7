import { ADDON_NAME_LABEL, CLUSTER_LEASE_NAME, type Lease, leases, managedClusterAddOns } from '@outrigger/api';
import { type ObjectRequest, type ViewData, type ViewRequest, encodeFleet } from '@outrigger/console-contract';
import { type KubeObject, ifFound, collect } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { ViewFailure } from '../http/messages.js';
import type { ConsoleRules } from '../rules.js';
import type { Session } from '../sessions/sessions.js';
import type { FleetState } from '../state/state.js';
import { activityPage } from './activity.js';
import { cellDiffs, configsOf, planOf, worksOf } from './details.js';
import { addOnPage } from './add-on.js';
import { cellPage } from './cell.js';
import { clusterPage } from './cluster.js';
import { type Moment, fleetTable, isVisibleCluster } from './fleet.js';
import { objectPage } from './object.js';
import type { PlanJobs } from './plan-jobs.js';
import { readRecord, recordedChange, replayPage } from './replay.js';
import { rolloutPage } from './rollout.js';
import { summaryOf } from './summary.js';

export interface ViewSources {
  readonly state: FleetState;
  /** The client of the console's own account. */
  readonly client: Client;
  readonly rules: ConsoleRules;
  readonly moment: () => Moment;
  readonly plans: PlanJobs;
  /**
   * Whether the console checks the permissions of each user. False in local mode, where all requests have the permissions of the
   * kubeconfig.
   */
  readonly reviewsRights: boolean;
}

/** Computes the view for one user. Rejects with a `ViewFailure` if the view does not exist or the user may not see it. */
export async function computeView(sources: ViewSources, session: Session, request: ViewRequest): Promise<ViewData> {
  const { state, rules } = sources;
  const { sight } = session;
  switch (request.view) {
    case 'fleet':
      return encodeFleet(fleetTable(state, sight, sources.moment()));
    case 'summary':
      return summaryOf(state, sight, sources.moment().now);
    case 'add-on':
      if (!sight.seesDeclarations) throw forbidden('get clustermanagementaddons');
      return (
        addOnPage(state, sight, request.addOn, { configs: await configsOf(sources, session, request.addOn) }) ??
        missing(`there is no add-on ${request.addOn}`)
      );
    case 'rollout':
      if (!sight.seesRollouts) throw forbidden('get addonrollouts');
      return rolloutPage(state, sight, request.addOn, sources.moment().now) ?? missing(`there is no rollout of ${request.addOn}`);
    case 'plan':
      if (!sight.seesRollouts) throw forbidden('get addonrollouts');
      return planOf(sources, session, request);
    case 'replay':
      if (!sight.seesRollouts) throw forbidden('get addonrollouts');
      if (recordedChange(state, request.addOn, request.record) === undefined)
        throw new ViewFailure('not-found', `the timeline of ${request.addOn} names no record ${request.record}`);
      return replayPage(state, sight, await readRecord(session.client, request.addOn, request.record), sources.moment().now);
    case 'cluster': {
      const name = requireCluster(sources, session, request.cluster);
      const [works, lease] = await Promise.all([
        worksOf(sources, session, name),
        sight.seesCluster(name) ? leaseOf(sources.client, name) : undefined,
      ]);
      return clusterPage(state, sight, name, { works, lease }, rules) ?? missing(`there is no cluster ${name}`);
    }
    case 'cell':
      requireCluster(sources, session, request.cluster);
      if (!sight.seesAddOns(request.cluster)) throw forbidden(`get managedclusteraddons in namespace ${request.cluster}`);
      return (await computeCell(sources, session, request)) ?? missing(`there is no add-on ${request.addOn}`);
    case 'activity':
      return activityPage(state, sight, request);
    case 'object':
      return objectPage(linkOf(request), await readObject(session.client, request), rules);
  }
}

async function computeCell(
  sources: ViewSources,
  session: Session,
  { cluster, addOn }: { readonly cluster: string; readonly addOn: string },
): Promise<ViewData | undefined> {
  const [installed, clusterWorks] = await Promise.all([
    collect(sources.client.listAll(managedClusterAddOns, { namespace: cluster })),
    worksOf(sources, session, cluster),
  ]);
  const works = clusterWorks?.filter(({ metadata }) => metadata.labels?.[ADDON_NAME_LABEL] === addOn);
  const own = installed.find(({ metadata }) => metadata.name === addOn);
  const [configs, diffs] = await Promise.all([
    configsOf(sources, session, addOn, own),
    own && works && cellDiffs(sources, session, { cluster, addOn, installed: own, works }),
  ]);
  const details = { installed, clusterWorks, works, configs, diffs };
  return cellPage(sources.state, session.sight, { cluster, addOn }, details, sources.rules);
}

/** Throws unless the user may see the cluster. A user who may not see the cluster gets the same error whether or not the cluster exists. */
function requireCluster({ state }: ViewSources, { sight }: Session, name: string): string {
  if (isVisibleCluster(state, sight, name)) return name;
  if (sight.seesCluster(name) && sight.seesAddOns(name)) return missing(`there is no cluster ${name}`);
  throw forbidden(`get managedclusters ${name}, or managedclusteraddons in namespace ${name}`);
}

function leaseOf(client: Client, namespace: string): Promise<Lease | undefined> {
  return ifFound(client.get(leases, { namespace, name: CLUSTER_LEASE_NAME }));
}

const NAME = /^[a-z0-9A-Z]([-a-z0-9A-Z._:]*[a-zA-Z0-9])?$/;

/** Reads an object with the user's own token, so that Kubernetes checks the permissions. */
async function readObject(client: Client, { group, version, resource, namespace, name }: ObjectRequest): Promise<KubeObject> {
  const parts = [group === '' ? 'v1' : group, version, resource, name, ...(namespace === undefined ? [] : [namespace])];
  if (!parts.every((part) => NAME.test(part))) throw new ViewFailure('bad-request', 'the address names no object');
  const kind = { group, version, kind: '', plural: resource, namespaced: namespace !== undefined };
  return client.get(kind, namespace === undefined ? { name } : { namespace, name });
}

function linkOf({ view: _, ...link }: ObjectRequest): Omit<ObjectRequest, 'view'> {
  return link;
}

function missing(message: string): never {
  throw new ViewFailure('not-found', message);
}

function forbidden(right: string): ViewFailure {
  return new ViewFailure('forbidden', `this needs the right to ${right}: ask an administrator of the hub`);
}
