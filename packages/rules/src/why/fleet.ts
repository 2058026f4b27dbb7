import type { AddOnRollout, ClusterManagementAddOn, RolloutEntry } from '@outrigger/api';
import { countText, findCondition, shell, nameOf } from '@outrigger/core';
import { causeOf, type Chain, isWrong, type Link, note, ok, stop, type Verdict, wait } from '../explanation/chain.js';
import { isHalted } from '../policy/halted.js';
import { haltedText, resumeCommand, rollbackCommand } from './rollout-state.js';
import { explainSelection, unsatisfiedPlacements } from './selection.js';
import { type Snapshot, snapshotIndex } from './snapshot.js';
import { declared, explain } from './why.js';

/** Clusters on which an add-on is not available, all for the same cause. */
export interface CauseGroup {
  /** `stop`: user action is needed. `wait`: resolves without user action. */
  readonly type: 'stop' | 'wait';
  /** The cause, without names and times that differ between the clusters. */
  readonly text: string;
  /** The next command to run or change to make, for the first example. */
  readonly hint?: string;
  readonly verdict: Verdict;
  readonly count: number;
  /** The first clusters, in the order of their names. */
  readonly examples: readonly string[];
}

/** The state of an add-on across the fleet, with the causes on clusters where it is not available. */
export interface FleetExplanation {
  readonly addOn: string;
  /** Whether user action is needed. */
  readonly isWrong: boolean;
  /** The number of clusters that the strategy selects or that have the add-on, by verdict. */
  readonly clusters: Readonly<Partial<Record<Verdict, number>>>;
  /** Links about the declaration and its rollout, and notes about clusters on which the add-on is available but degraded. */
  readonly links: readonly Link[];
  /** Causes that need user action come first, then causes that affect the most clusters. */
  readonly causes: readonly CauseGroup[];
}

const MOST_EXAMPLES = 3;

/** Explains an add-on on all clusters: the problems of the whole add-on, and the failures on clusters grouped by cause. */
export function explainFleet(snapshot: Snapshot, addOnName: string): FleetExplanation {
  const managementAddOn = snapshotIndex(snapshot).addOn(addOnName);
  const chains = concernedClusters(snapshot, addOnName, managementAddOn).map((cluster) => explain(snapshot, addOnName, cluster));
  const clusters: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of chains) clusters[verdict] = (clusters[verdict] ?? 0) + 1;
  const links = managementAddOn ? [ok(declared(managementAddOn)), ...explainDeclaration(snapshot, managementAddOn)] : [];
  links.push(...degradations(snapshot, chains));
  return {
    addOn: addOnName,
    isWrong: links.some(({ type }) => type === 'stop') || chains.some(isWrong),
    clusters,
    links,
    causes: groupCauses(chains),
  };
}

/** The clusters that have the add-on or should have it, in the order of their names. */
export function concernedClusters(
  snapshot: Snapshot,
  addOnName: string,
  managementAddOn: ClusterManagementAddOn | undefined,
): readonly string[] {
  const names = new Set(snapshot.installed.filter((one) => nameOf(one) === addOnName).map(({ metadata }) => metadata.namespace ?? ''));
  if (managementAddOn)
    for (const cluster of snapshot.clusters)
      if (explainSelection(snapshot, managementAddOn, cluster).isSelected) names.add(nameOf(cluster));
  return [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/**
 * Explains problems that affect all clusters of the add-on: targets that cannot be resolved, the state of the rollout, and removals that
 * wait for confirmation.
 */
function explainDeclaration(snapshot: Snapshot, managementAddOn: ClusterManagementAddOn): readonly Link[] {
  const name = nameOf(managementAddOn);
  const { conditions } = managementAddOn.status ?? {};
  const rollout = snapshotIndex(snapshot).rollout(name);
  const links: Link[] = [];
  const cycle = findCondition(conditions, 'DependenciesValid');
  if (cycle?.status === 'False')
    links.push(stop(`DependenciesValid is False (${cycle.reason}): ${cycle.message}`, 'remove one of the dependencies'));
  const resolved = findCondition(conditions, 'TargetsResolved');
  const pending = rollout?.status?.pendingRemoval;
  if (pending)
    links.push(
      stop(
        `the removal from ${pending.count} of ${pending.of} clusters waits for a confirmation${resolved ? ` since ${resolved.lastTransitionTime}` : ''}; to keep it there, correct spec.installStrategy`,
        shell`outrigger rollout confirm ${name}`,
      ),
    );
  else if (resolved?.status === 'False')
    links.push(
      stop(
        `TargetsResolved is False (${resolved.reason}) since ${resolved.lastTransitionTime}: ${resolved.message}`,
        unresolvedHint(name, resolved.reason),
      ),
    );
  if (rollout?.spec?.pinnedRevision !== undefined)
    links.push(note(`every cluster is pinned at revision ${rollout.spec.pinnedRevision}`, shell`outrigger rollback ${name} --clear`));
  links.push(...unsatisfiedPlacements(snapshot, managementAddOn));
  if (rollout) for (const entry of rollout.status?.entries ?? []) links.push(...explainEntry(rollout, entry));
  return links;
}

/** Suggests where to correct targets that the manager cannot resolve. */
function unresolvedHint(name: string, reason: string): string {
  const edit = shell`kubectl edit clustermanagementaddon ${name}`;
  return reason === 'PlacementNotFound'
    ? `create the Placement, or correct spec.installStrategy: ${edit}`
    : shell`kubectl describe clustermanagementaddon ${name}`;
}

/** The state of the rollout of an entry, if it is not completed. */
function explainEntry(rollout: AddOnRollout, entry: RolloutEntry): readonly Link[] {
  const { name, state, failed = 0, message, done = 0, selected = 0 } = entry;
  const detail = message ? ` (${message})` : '';
  const links: Link[] = [];
  if (isHalted(entry)) {
    const back = rollbackCommand(rollout);
    links.push(
      stop(
        `the rollout of ${name} ${haltedText(entry)}`,
        `${failed === 0 ? 'fix the cause' : 'fix the causes below'}${back === undefined ? '' : `, or \`${back}\``}`,
      ),
    );
  }
  if (state === 'Paused') links.push(stop(`the rollout of ${name} is paused${detail}`, resumeCommand(rollout)));
  if (state === 'Pending') links.push(wait(`the rollout of ${name} waits until its clusters are known`));
  if (state === 'Progressing') links.push(wait(`the rollout of ${name} is on ${done} of ${selected} clusters${detail}`));
  return links;
}

function groupCauses(chains: readonly Chain[]): readonly CauseGroup[] {
  const groups = new Map<
    string,
    { type: 'stop' | 'wait'; text: string; hint?: string; verdict: Verdict; examples: string[]; count: number; rank: number }
  >();
  for (const chain of chains) {
    const cause = causeOf(chain);
    if (!cause || chain.verdict === 'absent' || (chain.verdict === 'available' && cause.type !== 'stop')) continue;
    const text = commonText(cause.text, chain.cluster);
    const id = `${chain.verdict}\n${text}`;
    const found = groups.get(id);
    if (found) {
      found.count++;
      if (found.examples.length < MOST_EXAMPLES) found.examples.push(chain.cluster);
      continue;
    }
    const type = cause.type === 'stop' ? 'stop' : 'wait';
    groups.set(id, {
      type,
      text,
      verdict: chain.verdict,
      count: 1,
      examples: [chain.cluster],
      // List the clusters that wait for a halted or paused rollout after the other causes that need user action, because these clusters are
      // not broken themselves.
      rank: cause.isOfRollout ? 1 : type === 'stop' ? 0 : 2,
      ...(cause.hint === undefined ? {} : { hint: cause.hint }),
    });
  }
  return [...groups.values()].sort((a, b) => a.rank - b.rank || b.count - a.count).map(({ rank: _, ...group }) => group);
}

/** Counts the clusters on which the add-on is degraded for want of an optional dependency. They have no cause. */
function degradations(snapshot: Snapshot, chains: readonly Chain[]): readonly Link[] {
  const index = snapshotIndex(snapshot);
  const counts = new Map<string, number>();
  for (const { addOn, cluster, state } of chains) {
    if (state !== 'degraded') continue;
    const message = commonText(findCondition(index.installed(cluster, addOn)?.status?.conditions, 'Degraded')?.message ?? '', cluster);
    counts.set(message, (counts.get(message) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([message, count]) => note(`degraded on ${countText(count, 'cluster')}: ${message}`));
}

const TIME = / since \d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Removes from the text of a cause the parts that differ between clusters: times and the name of the cluster. */
function commonText(text: string, cluster: string): string {
  return text
    .replaceAll(TIME, '')
    .split(/(?<=[\s"'`/:(])|(?=[\s"'`/:;,.)])/)
    .map((part) => (part === cluster ? '…' : part))
    .join('');
}
