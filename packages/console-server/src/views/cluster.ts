import { type Lease, type ManifestWork, managedClusters } from '@outrigger/api';
import type { ClusterPage } from '@outrigger/console-contract';
import type { ConsoleRules } from '../rules.js';
import type { FleetState } from '../state/state.js';
import { groupActivity } from './activity-groups.js';
import { activityItems } from './activity.js';
import { cellOfAddOn, rowOf } from './cells.js';
import { conditionItems } from './conditions.js';
import { dependenciesOf, inDependencyOrder } from './dependencies.js';
import { isVisibleCluster } from './fleet.js';
import { linkTo } from './links.js';
import type { Sight } from './sight.js';
import { workItems } from './works.js';

/** Objects in the cluster's namespace that are read for the page; undefined if the user may not read them. */
export interface ClusterDetails {
  readonly works: readonly ManifestWork[] | undefined;
  readonly lease: Lease | undefined;
}

export function clusterPage(
  state: FleetState,
  sight: Sight,
  name: string,
  details: ClusterDetails,
  rules: ConsoleRules,
): ClusterPage | undefined {
  if (!isVisibleCluster(state, sight, name)) return undefined;
  const cluster = sight.seesCluster(name) ? state.clusters.get(name) : undefined;
  const here = sight.seesAddOns(name) ? state.addOns.get(name) : undefined;
  const usual = usualReports(state, sight, [...(here?.keys() ?? [])]);
  const renewedAt = details.lease?.spec?.renewTime;
  return {
    name,
    object: linkTo(managedClusters, name),
    ...rowOf(cluster),
    labels: cluster?.metadata.labels ?? {},
    claims: (cluster?.status?.clusterClaims ?? []).map(({ name: claim = '', value = '' }) => ({ name: claim, value })),
    taints: (cluster?.spec.taints ?? []).map(({ key, value = '', effect }) => ({ key, value, effect })),
    conditions: conditionItems(cluster?.status?.conditions),
    addOns: inDependencyOrder(state, [...(here?.keys() ?? [])]).flatMap((addOn) => {
      const reported = here?.get(addOn);
      if (reported === undefined) return [];
      const dependsOn = sight.seesDeclarations ? dependenciesOf(state, addOn).map((one) => one.name) : [];
      return [
        {
          ...cellOfAddOn(state, reported, name, addOn),
          name: addOn,
          dependsOn,
          differsFromFleet: usual.get(addOn) !== fingerprint(reported.report.version, reported.report.configs),
        },
      ];
    }),
    events: groupActivity(activityItems(state, sight, { cluster: name })).slice(0, 100),
    ...(details.works === undefined ? {} : { works: workItems(details.works, rules, false) }),
    ...(details.lease === undefined ? {} : { lease: renewedAt === undefined ? {} : { renewedAt } }),
  };
}

/** For each add-on, the most frequent version and configuration among the clusters that the user may see. */
function usualReports(state: FleetState, sight: Sight, addOns: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>(addOns.map((addOn) => [addOn, new Map()]));
  for (const [cluster, here] of state.addOns) {
    if (!sight.seesAddOns(cluster)) continue;
    for (const [addOn, found] of counts) {
      const report = here.get(addOn)?.report;
      if (report === undefined) continue;
      const key = fingerprint(report.version, report.configs);
      found.set(key, (found.get(key) ?? 0) + 1);
    }
  }
  return new Map([...counts].map(([addOn, found]) => [addOn, [...found].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '']));
}

function fingerprint(version: string, configs: string): string {
  return `${version} ${configs}`;
}
