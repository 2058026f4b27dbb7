import {
  ADDON_NAME_LABEL,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  clusterManagementAddOns,
  manifestWorks,
  namesCycle,
} from '@outrigger/api';
import { type Condition, findCondition, shell, nameOf } from '@outrigger/core';
import { explainCluster, unpreparedCondition } from './cluster.js';
import { explainDeletion, explainRemnants, selectionOfPresent } from './removal.js';
import { sharedObjects, unreadyWorkloads } from './reports.js';
import { type Snapshot, snapshotIndex } from './snapshot.js';
import { brokenSteps } from './steps.js';
import { type ReportedStep, reportedStep, stateOfStep } from './step.js';
import { isUnreachable } from '../observed/clusters.js';
import { suggestion } from '../explanation/suggest.js';
import { causeOf, type Chain, isWrong, type Link, note, ok, stop, type Verdict, wait } from '../explanation/chain.js';
import type { AddOnState } from '../explanation/state.js';
import { entryOf, explainRollout, overrideLinks } from './rollout.js';
import { isUnrendered } from './renderer.js';
import type { Selection } from '../strategy/install-strategy.js';
import { explainSelection } from './selection.js';

/**
 * Explains an add-on's state on a cluster as one chain: declared, selected, installed, admitted, applied, satisfied, healthy. The chain
 * ends at the first step that has not succeeded. If this step is a missing dependency, the dependency's own chain follows, so that the last
 * line names the root cause.
 */
export function explain(snapshot: Snapshot, addOnName: string, clusterName: string): Chain {
  return explainOnce(snapshot, addOnName, clusterName, { asked: new Set(), named: new Set() });
}

/** The state of one explanation, which the chains of the add-on and of its dependencies share. */
interface Walk {
  /** The add-ons that were explained so far. Each is explained once, so that cycles end and shared dependencies are not repeated. */
  readonly asked: Set<string>;
  /** The links whose text names the add-on that they are about. */
  readonly named: Set<Link>;
}

function explainOnce(snapshot: Snapshot, addOnName: string, clusterName: string, walk: Walk): Chain {
  walk.asked.add(addOnName);
  const index = snapshotIndex(snapshot);
  const managementAddOn = index.addOn(addOnName);
  const installed = index.installed(clusterName, addOnName);
  const state = stateOf(installed, index.cluster(clusterName));
  const chain = (verdict: Verdict, links: readonly Link[]): Chain => ({ addOn: addOnName, cluster: clusterName, state, verdict, links });
  if (!managementAddOn && snapshot.unreadable?.includes(clusterManagementAddOns.plural))
    return chain(...withoutDeclaration(snapshot, addOnName, installed, walk));
  const left = managementAddOn || installed ? [] : index.works(clusterName, addOnName);
  if (left.length > 0) return chain('removing', [explainRemnants(left, clusterName)]);
  if (!managementAddOn) {
    const hint = installed ? 'declare it again, or delete the ManagedClusterAddOn' : 'outrigger get addons';
    const unknown = stop(`there is no add-on "${addOnName}"${suggestion(addOnName, snapshot.managementAddOns.map(nameOf))}`, hint);
    walk.named.add(unknown);
    return chain(installed ? 'blocked' : 'absent', [unknown]);
  }
  const cluster = index.cluster(clusterName);
  if (!cluster)
    return chain('absent', [ok(declared(managementAddOn)), stop(`the hub knows no cluster "${clusterName}"`, 'outrigger get clusters')]);

  const clusterLinks = explainCluster(cluster, installed);
  const selection = explainSelection(snapshot, managementAddOn, cluster);
  const head = [ok(declared(managementAddOn)), ...clusterLinks];
  if (!installed) return chain(...absence(head, clusterLinks, selection, managementAddOn, cluster));
  const [verdict, links] = presence(snapshot, { managementAddOn, installed, head, selection, walk });
  return chain(verdict, withoutWorks(snapshot, verdict) ? [...links, note(WORKS_HIDDEN)] : links);
}

/**
 * Whether the explanation lacks the works, because the user may not read them. In the works the agent reports rejected manifests and
 * workloads that are not ready.
 */
function withoutWorks({ unreadable }: Snapshot, verdict: Verdict): boolean {
  return verdict !== 'available' && (unreadable?.includes(manifestWorks.plural) ?? false);
}

const WORKS_HIDDEN =
  'your rights do not include the ManifestWorks of the cluster, which say what the agent could not apply and which workloads are not ready';

/** Returns the word for the state of an add-on on a cluster. The cluster is undefined if the user may not read it. */
export function stateOf(installed: ManagedClusterAddOn | undefined, cluster: ManagedCluster | undefined): AddOnState {
  if (!installed) return 'absent';
  const available = findCondition(cluster?.status?.conditions, 'ManagedClusterConditionAvailable');
  return stateOfStep(stepOf(installed), !isUnreachable({ available }));
}

function stepOf(installed: ManagedClusterAddOn): ReportedStep<Condition> {
  return reportedStep({
    isDeleting: installed.metadata.deletionTimestamp !== undefined,
    isUnrendered: isUnrendered(installed),
    find: (type) => findCondition(installed.status?.conditions, type),
  });
}

/** The part of the chain that a cluster owner may read: the state that the add-on reports on that cluster. */
function withoutDeclaration(
  snapshot: Snapshot,
  name: string,
  installed: ManagedClusterAddOn | undefined,
  walk: Walk,
): [Verdict, readonly Link[]] {
  const limit = note(
    'your rights do not include the declaration, the clusters and the rollouts of the fleet: this is what the cluster reports',
  );
  if (!installed)
    return ['absent', [limit, stop(`${name} is not on this cluster`, 'ask a fleet admin whether its strategy selects the cluster')]];
  const { apiVersion } = installed;
  const managementAddOn: ClusterManagementAddOn = { apiVersion, kind: 'ClusterManagementAddOn', metadata: { name }, spec: {} };
  return presence(snapshot, { managementAddOn, installed, head: [limit], selection: { isSelected: true, links: [] }, walk });
}

export function declared(managementAddOn: ClusterManagementAddOn): string {
  const version = managementAddOn.status?.defaultVersion ? `, default version ${managementAddOn.status.defaultVersion}` : '';
  return `${nameOf(managementAddOn)} is declared with strategy ${managementAddOn.spec.installStrategy?.type ?? 'Manual'}${version}`;
}

function absence(
  head: readonly Link[],
  clusterLinks: readonly Link[],
  selection: Selection,
  managementAddOn: ClusterManagementAddOn,
  cluster: ManagedCluster,
): [Verdict, readonly Link[]] {
  if (clusterLinks.some(({ type }) => type === 'wait')) return ['absent', head];
  const links = [...head, ...selection.links];
  const resolved = findCondition(managementAddOn.status?.conditions, 'TargetsResolved');
  if (!selection.isSelected) return [resolved?.status === 'False' ? 'blocked' : 'absent', links];
  if (unpreparedCondition(cluster)) return ['blocked', links];
  const cause =
    resolved?.status === 'False'
      ? stop(`TargetsResolved is False (${resolved.reason}): ${resolved.message}`)
      : wait(
          `${nameOf(managementAddOn)} is about to be created on ${nameOf(cluster)}; if this lasts, the manager is not running`,
          'outrigger doctor',
        );
  return [resolved?.status === 'False' ? 'blocked' : 'waiting', [...links, cause]];
}

interface Present {
  readonly managementAddOn: ClusterManagementAddOn;
  readonly installed: ManagedClusterAddOn;
  readonly head: readonly Link[];
  readonly selection: Selection;
  readonly walk: Walk;
}

function presence(snapshot: Snapshot, { managementAddOn, installed, head, selection, walk }: Present): [Verdict, readonly Link[]] {
  const name = nameOf(managementAddOn);
  const index = snapshotIndex(snapshot);
  const rollout = index.rollout(name);
  const works = index.works(installed.metadata.namespace ?? '', name);
  if (installed.metadata.deletionTimestamp !== undefined)
    return [
      'removing',
      [...head, ...selectionOfPresent(selection, managementAddOn, installed, rollout), ...explainDeletion(installed, works)],
    ];
  const links: Link[] = [...head, ...selectionOfPresent(selection, managementAddOn, installed, rollout)];
  links.push(...overrideLinks(installed), ...explainRollout(rollout, installed, entryOf(snapshot, managementAddOn, installed)));
  const broken = brokenSteps(managementAddOn, installed, works);
  if (broken.length > 0) return ['blocked', [...links, ...broken]];
  const store = unstored(managementAddOn);
  if (store) return ['blocked', [...links, store]];
  if (links.some(({ type, isOfRollout }) => type === 'stop' && isOfRollout)) return ['blocked', links];
  const unrendered = isUnrendered(installed) ? [noRenderer(name)] : [];
  const step = stepOf(installed);
  switch (step.type) {
    case 'dependency-missing': {
      const missing = [...unrendered, ...dependencyLinks(snapshot, step.found, installed, walk)];
      return [missing.some(({ type }) => type === 'stop') ? 'blocked' : 'waiting', [...links, ...missing]];
    }
    case 'unrendered':
      return ['blocked', [...links, ...unrendered]];
    case 'progressing':
      return moving(links, installed, step.found, works);
    default:
      return health([...links, ...sharedObjects(works, worksOfOthers(snapshot, installed))], installed, works);
  }
}

/** Explains an unfinished move by the workloads that it waits for. The move is blocked if a reason needs user action. */
function moving(
  links: readonly Link[],
  { metadata: { namespace = '' }, status }: ManagedClusterAddOn,
  { reason, message, lastTransitionTime }: Condition,
  works: readonly ManifestWork[],
): [Verdict, readonly Link[]] {
  const unready = unreadyWorkloads(works, namespace, lastTransitionTime);
  const all = [...links, wait(`${reason}: ${message}`), ...pendingIdentity(status?.conditions), ...unready];
  return [unready.some(({ type }) => type === 'stop') ? 'blocked' : 'waiting', all];
}

/** Returns the link for a declaration whose content the manager cannot store. No cluster moves until the content is stored. */
function unstored({ status }: ClusterManagementAddOn): Link | undefined {
  const resolved = findCondition(status?.conditions, 'TargetsResolved');
  return resolved?.reason === 'ContentNotStored' ? stop(`TargetsResolved is False (ContentNotStored): ${resolved.message}`) : undefined;
}

function noRenderer(name: string): Link {
  return stop(
    `no manager renders ${name}: its declaration leads to no AddOnTemplate, and no other manager has reported on it`,
    `create an AddOnTemplate with addonName ${name}, or install the manager that comes with the add-on`,
  );
}

function dependencyLinks(snapshot: Snapshot, degraded: Condition, installed: ManagedClusterAddOn, walk: Walk): readonly Link[] {
  const cluster = installed.metadata.namespace ?? '';
  const name = nameOf(installed);
  const own = stop(`a required add-on is missing: ${degraded.message}`);
  if (namesCycle(degraded.message)) return [own];
  const managementAddOn = snapshotIndex(snapshot).addOn(name);
  for (const dependency of managementAddOn?.spec.dependencies ?? []) {
    if (dependency.type === 'Optional' || walk.asked.has(dependency.name) || walk.asked.size >= MAX_DEPTH) continue;
    const chain = explainOnce(snapshot, dependency.name, cluster, walk);
    if (chain.verdict === 'available') continue;
    // A dependency that is about to be available needs no user action, and neither does this add-on.
    const rest = continued(chain, walk);
    return [isWrong(chain) || rest.some(({ type }) => type === 'stop') ? own : { ...own, type: 'wait' }, ...rest];
  }
  return [own];
}

/** The works of the other add-ons on the cluster of this add-on. */
function worksOfOthers(snapshot: Snapshot, { metadata: { namespace = '', name } }: ManagedClusterAddOn): readonly ManifestWork[] {
  return snapshotIndex(snapshot)
    .worksOn(namespace)
    .filter(({ metadata }) => metadata.labels?.[ADDON_NAME_LABEL] !== name && !metadata.deletionTimestamp);
}

/**
 * Maximum depth of a chain, larger than any real chain of dependencies. It protects the stack from cyclic or very deep chains that
 * admission did not check.
 */
const MAX_DEPTH = 100;

/**
 * The links in the dependency's own chain for steps that have not succeeded, with the name of the dependency. A note that explains why the
 * dependency is absent becomes a `stop`, because the absence is the cause here.
 */
function continued(chain: Chain, { named }: Walk): readonly Link[] {
  const { addOn, links } = chain;
  const cause = causeOf(chain);
  const rest = links.flatMap((one): readonly Link[] => {
    if (one.type === 'stop' || one.type === 'wait') return [one];
    return one === cause ? [{ ...one, type: 'stop' }] : [];
  });
  const all = rest.map((one) => (named.has(one) ? one : { ...one, text: `${addOn}: ${one.text}` }));
  for (const one of all) named.add(one);
  return all;
}

function pendingIdentity(conditions: readonly Condition[] | undefined): readonly Link[] {
  const registration = findCondition(conditions, 'RegistrationApplied');
  return registration?.reason === 'PermissionConfigPending' ? [wait(`its agent has no identity yet: ${registration.message}`)] : [];
}

function health(links: readonly Link[], installed: ManagedClusterAddOn, works: readonly ManifestWork[]): [Verdict, readonly Link[]] {
  const { namespace: cluster = '' } = installed.metadata;
  const conditions = installed.status?.conditions;
  const available = findCondition(conditions, 'Available');
  const version = installed.status?.currentVersion ? ` at version ${installed.status.currentVersion}` : '';
  const optional = findCondition(conditions, 'Degraded');
  const beside = optional?.status === 'True' ? [note(`degraded: ${optional.message}`)] : [];
  if (available?.status === 'True') return ['available', [...links, ...beside, ok(`it is available${version}: ${available.message}`)]];
  if (!available) {
    // If the chain has a cause already, the missing report follows from it.
    const unreported = causeOf({ links, verdict: 'waiting' }) ? note(UNREPORTED) : wait(UNREPORTED);
    return ['waiting', [...links, ...beside, unreported]];
  }
  const { status, reason, message, lastTransitionTime } = available;
  const own = stop(`Available is ${status} (${reason}) since ${lastTransitionTime}: ${message}`, hintForHealth(reason, installed));
  // The add-on is not available, so a workload that is not ready is the cause, whether or not it can recover by itself.
  const unready = unreadyWorkloads(works, cluster, undefined).map((link): Link => ({ ...link, type: 'stop' }));
  return ['unavailable', [...links, ...beside, own, ...unready]];
}

const UNREPORTED = 'no component has reported yet whether it is available';

function hintForHealth(
  reason: string,
  { metadata: { name = '', namespace: cluster = '' }, status }: ManagedClusterAddOn,
): string | undefined {
  if (reason.startsWith('Probe'))
    return status?.namespace === undefined
      ? shell`outrigger render ${name} --cluster ${cluster}`
      : `on ${cluster}: ${shell`kubectl get pods -n ${status.namespace}`}`;
  if (reason.includes('Lease')) return `on ${cluster}: is the agent running, and may it renew its lease?`;
  return reason.startsWith('Work') ? shell`kubectl get manifestworks -n ${cluster} -l ${`${ADDON_NAME_LABEL}=${name}`}` : undefined;
}
