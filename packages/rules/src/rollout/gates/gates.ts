import type { AnalysisState, OpenedGate, RolloutWait } from '@outrigger/api';
import type { AnalysisFailure, DueMeasurement } from '../../policy/analysis-gates.js';
import { isGroupByGroup } from '../../strategy/rollout-strategy.js';
import type { Admission, ObservedCluster, StepInput } from '../input.js';
import type { PlacedGroup } from '../phase.js';

/** A cluster that has not been admitted. `Install`: the hub has never assigned content to it. */
interface GatedCluster {
  readonly cluster: string;
  readonly operation: 'Install' | 'Upgrade';
}

/** A group of clusters as input to the gates; lists of groups are in rollout order. */
export interface GatedGroup {
  /** The name of the decision group; `rest` for the clusters that the strategy does not order by group. */
  readonly name: string;
  /** Undefined for `rest`. */
  readonly index: number | undefined;
  /** The clusters that have not been admitted to the target. */
  readonly clusters: readonly GatedCluster[];
  /** The number of clusters in the group. */
  readonly size: number;
  /** Whether no cluster of the group waits or is in flight. */
  readonly isFinished: boolean;
  /** The earliest time at which a cluster of the group that is in flight was admitted. */
  readonly admittedAt: () => string | undefined;
  /** The clusters that have the target. */
  readonly moved: () => readonly string[];
}

/** The combined result of all gates that govern an entry. Gates only prevent admissions. */
export interface GateAnswer {
  /** The clusters that may not be admitted now. */
  readonly held: ReadonlySet<string>;
  /** Whether the target must not be recorded as completed yet. */
  readonly holdsEnd: boolean;
  /** Whether a cluster may get its first content, independently of the target. */
  readonly mayInstall: (cluster: string) => boolean;
  /** For the record. */
  readonly waitingFor: readonly RolloutWait[];
  readonly openedGates: readonly OpenedGate[];
  readonly analysis: readonly AnalysisState[];
  /** The failed analysis that halts the rollout; undefined if none has failed. */
  readonly failure: AnalysisFailure | undefined;
  /** Measurements that groups still need. */
  readonly measurements: readonly DueMeasurement[];
  /** Wall time at which the result may change even if no object changes. */
  readonly recheckAt: number | undefined;
}

/** Evaluates the gates of one entry and target. Called in every pass. */
export type Gates = (groups: readonly GatedGroup[]) => GateAnswer;

export const REST = 'rest';

/**
 * The groups of an entry as input to the gates. The clusters of strategy All, and those that Progressive does not order by group, form one
 * group, `rest`.
 */
export function gatedGroups(
  { strategy, wildcard }: StepInput,
  mandatory: readonly PlacedGroup[],
  optional: readonly PlacedGroup[],
): readonly GatedGroup[] {
  const named = isGroupByGroup(strategy) ? [...mandatory, ...optional] : mandatory;
  const others = isGroupByGroup(strategy) ? [] : optional;
  return [
    ...named.map((group) => gatedGroup(group.name === '' ? String(group.index) : group.name, group.index, [group], wildcard)),
    ...(others.length > 0 || named.length === 0 ? [gatedGroup(REST, undefined, others, wildcard)] : []),
  ];
}

function gatedGroup(name: string, index: number | undefined, groups: readonly PlacedGroup[], wildcard: Admission | undefined): GatedGroup {
  const sum = (pick: (group: PlacedGroup) => number): number => groups.reduce((total, group) => total + pick(group), 0);
  return {
    name,
    index,
    clusters: groups.flatMap(({ waiting, retargets }) => [...waiting, ...retargets].map(gated)),
    size: sum(({ clusters }) => clusters.length),
    isFinished: sum(({ counts }) => counts.waiting + counts.progressing + counts.soaking) === 0,
    admittedAt: () =>
      groups.flatMap(({ inFlight }) => inFlight.flatMap(({ seen }) => seen.admission?.admittedAt ?? [])).sort()[0] ?? wildcard?.admittedAt,
    moved: () => groups.flatMap(({ clusters }) => clusters.filter(({ report }) => report.atTarget).map(({ cluster }) => cluster)),
  };
}

function gated({ cluster, isNew }: ObservedCluster): GatedCluster {
  return { cluster, operation: isNew ? 'Install' : 'Upgrade' };
}

/** The clusters that this step must not admit to the target, and the joining clusters that get the last completed revision instead. */
interface Withheld {
  readonly clusters: ReadonlySet<string>;
  readonly joiners: readonly ObservedCluster[];
  /** Whether joining clusters get the last completed revision. */
  readonly holdsJoiners: boolean;
}

const NOTHING_WITHHELD: Withheld = { clusters: new Set(), joiners: [], holdsJoiners: false };

/**
 * Returns the clusters that this step must not admit to the target because of gates. While a gate holds other clusters, a joining cluster
 * is not admitted before them; it gets the last completed revision if the gates allow its installation.
 */
export function withheld(input: StepInput, groups: readonly PlacedGroup[], answer: GateAnswer | undefined): Withheld {
  if (!answer || answer.held.size === 0) return NOTHING_WITHHELD;
  if (!input.hasOtherCompleted) return { clusters: answer.held, joiners: [], holdsJoiners: false };
  const fresh = freshClusters(groups);
  return {
    clusters: fresh.length === 0 ? answer.held : new Set([...answer.held, ...fresh.map(({ cluster }) => cluster)]),
    joiners: installable(fresh, answer),
    holdsJoiners: true,
  };
}

/** The joining clusters among the waiting clusters, without those on which a gate prevents the installation. */
export function joiningClusters(groups: readonly PlacedGroup[], answer: GateAnswer | undefined): readonly ObservedCluster[] {
  return installable(freshClusters(groups), answer);
}

function installable(fresh: readonly ObservedCluster[], answer: GateAnswer | undefined): readonly ObservedCluster[] {
  return answer ? fresh.filter(({ cluster }) => answer.mayInstall(cluster)) : fresh;
}

function freshClusters(groups: readonly PlacedGroup[]): readonly ObservedCluster[] {
  return groups.flatMap(({ waiting }) => waiting.filter(({ isNew }) => isNew));
}
