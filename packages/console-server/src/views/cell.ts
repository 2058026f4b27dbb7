import {
  type AddOnDeploymentConfig,
  type ManagedClusterAddOn,
  type ManifestWork,
  addOnRollouts,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import { ABSENT_CELL, type CellDiffs, type CellPage, type ObjectLink, type WhyLink } from '@outrigger/console-contract';
import { type Link, causeOf, headlineOf } from '@outrigger/rules/explanation';
import { explain } from '@outrigger/rules/why';
import type { ConsoleRules } from '../rules.js';
import { strategyLookups } from '../state/lookups.js';
import type { FleetState } from '../state/state.js';
import { assignedRevision } from '../state/targets.js';
import { cellOf, questionOf } from './cells.js';
import { conditionItems } from './conditions.js';
import { configurationLayers, valuesOf } from './configuration.js';
import { isVisibleCluster } from './fleet.js';
import { linkTo } from './links.js';
import { registrationItems } from './registrations.js';
import type { Sight } from './sight.js';
import { workItems } from './works.js';

/** Objects in the cluster's namespace that are read for the page. */
export interface CellDetails {
  /** All add-ons on the cluster, because the cause of a problem may be a dependency. */
  readonly installed: readonly ManagedClusterAddOn[];
  /** The works of all add-ons on the cluster, which may contain the cause of a failure; undefined if the user may not read them. */
  readonly clusterWorks: readonly ManifestWork[] | undefined;
  /** The works of this add-on; undefined if the user may not read them. */
  readonly works: readonly ManifestWork[] | undefined;
  readonly configs: readonly AddOnDeploymentConfig[] | { readonly problem: string };
  readonly diffs: CellDiffs | { readonly problem: string } | undefined;
}

export function cellPage(
  state: FleetState,
  sight: Sight,
  { cluster, addOn }: { readonly cluster: string; readonly addOn: string },
  details: CellDetails,
  rules: ConsoleRules,
): CellPage | undefined {
  if (!isVisibleCluster(state, sight, cluster) || !sight.seesAddOns(cluster)) return undefined;
  const installed = details.installed.find(({ metadata }) => metadata.name === addOn);
  if (installed === undefined && !(sight.seesDeclarations && state.declarations.has(addOn))) return undefined;
  const cell = installed === undefined ? ABSENT_CELL : cellOf(state, cluster, addOn);
  const rollout = sight.seesRollouts ? state.rollouts.get(addOn) : undefined;
  const reported = state.addOns.get(cluster)?.get(addOn);
  const revision = reported && assignedRevision(questionOf(state, reported, cluster, addOn));
  const managementAddOn = sight.seesDeclarations ? state.declarations.get(addOn) : undefined;
  const question = { managementAddOn, place: { cluster, installed, lookups: strategyLookups(state), record: rollout?.status } };
  return {
    cluster,
    addOn,
    state: cell.state,
    version: cell.version,
    target: cell.target,
    why: whyChain(state, sight, { cluster, addOn }, details),
    conditions: conditionItems(installed?.status?.conditions),
    ...valuesOf(question, details.configs),
    configuration: configurationLayers(question),
    registrations: registrationItems(installed),
    ...(installed === undefined ? {} : { object: linkTo(managedClusterAddOns, addOn, cluster) }),
    ...(revision === undefined ? {} : { revision }),
    ...(details.works === undefined ? {} : { works: workItems(details.works, rules, true) }),
    ...diffsOf(details.diffs),
  };
}

function diffsOf(diffs: CellDetails['diffs']): Pick<CellPage, 'diffs' | 'diffsProblem'> {
  if (diffs === undefined) return {};
  return 'problem' in diffs ? { diffsProblem: diffs.problem } : { diffs };
}

function whyChain(
  state: FleetState,
  sight: Sight,
  at: { readonly cluster: string; readonly addOn: string },
  { installed, clusterWorks }: CellDetails,
): CellPage['why'] {
  const cluster = state.clusters.get(at.cluster);
  const objects = {
    // Sort by name, as the API server sorts lists, because explanations list some of the declarations.
    managementAddOns: sight.seesDeclarations ? [...state.declarations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one) : [],
    clusters: cluster === undefined ? [] : [cluster],
    installed,
    rollouts: sight.seesRollouts ? [...state.rollouts.values()] : [],
    placements: [...state.placements.values()],
    decisions: [...state.decisions.values()],
    unreadable: [
      ...(sight.seesDeclarations ? [] : [clusterManagementAddOns.plural]),
      ...(sight.seesRollouts ? [] : [addOnRollouts.plural]),
      ...(clusterWorks === undefined ? [manifestWorks.plural] : []),
    ],
    ...(clusterWorks === undefined ? {} : { works: clusterWorks }),
  };
  const chain = explain(objects, at.addOn, at.cluster);
  const cause = causeOf(chain);
  return { verdict: chain.verdict, headline: headlineOf(chain), links: chain.links.map((link) => whyLink(link, cause, at)) };
}

function whyLink(link: Link, cause: Link | undefined, at: { readonly cluster: string; readonly addOn: string }): WhyLink {
  const object = objectOf(link.text, at);
  return {
    type: link.type,
    text: link.text,
    isCause: link === cause,
    ...(link.hint === undefined ? {} : { hint: link.hint }),
    ...(object === undefined ? {} : { object }),
  };
}

/** The object that a link of the explanation describes: the cluster, the rollout, the declaration or the add-on. */
function objectOf(text: string, { cluster, addOn }: { readonly cluster: string; readonly addOn: string }): ObjectLink | undefined {
  if (text.startsWith(`cluster ${cluster} `)) return linkTo(managedClusters, cluster);
  if (/\b(revision|rollout)\b/.test(text)) return linkTo(addOnRollouts, addOn);
  if (/declared|strategy|Placement|label selector|TargetsResolved/.test(text)) return linkTo(clusterManagementAddOns, addOn);
  if (/\b(Available|Progressing|Configured|ManifestApplied|RegistrationApplied|Degraded|available)\b/.test(text))
    return linkTo(managedClusterAddOns, addOn, cluster);
  return text.includes(cluster) ? linkTo(managedClusters, cluster) : undefined;
}
