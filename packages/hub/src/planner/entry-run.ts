import { TimeHeap } from '@outrigger/core';
import {
  type ObservedCluster,
  type StepInput,
  type GateAnswer,
  nextClusters,
  type Phase,
  type PlacedGroup,
  placeCluster,
  placeGroup,
  withheld,
} from '@outrigger/rules/rollout';
import { admissionAt, type Fate, MovingCluster } from './moving-cluster.js';
import type { RunGates } from './run-gates.js';

/** The manager writes a record at most once per second. */
const RECORD_SPACING_MS = 1_000;
/** A policy may start the way back after more clusters than tolerated have failed for this long. */
const TURN_BACK_AFTER_MS = 60_000;
/** A rollout that has not settled after this time is reported as held. */
const HORIZON_MS = 400 * 24 * 3_600_000;

/** The clusters of an entry at the start of all runs. */
export interface RunStart {
  readonly state: StepInput;
  readonly groups: readonly PlacedGroup[];
  /** The index of each waiting cluster's group. */
  readonly groupOf: ReadonlyMap<ObservedCluster, number>;
  readonly startAt: number;
  /** Whether a policy starts a rollback when too many clusters have failed. */
  readonly turnsBack: boolean;
}

export interface RunOptions {
  readonly fateOf: (cluster: string) => Fate;
  /** The gates of one run; undefined if no policy governs the add-on. */
  readonly gates: RunGates | undefined;
  readonly onAdmission?: (clusters: readonly ObservedCluster[], group: (seen: ObservedCluster) => number, at: number) => void;
  readonly onEnd?: (cluster: string, phase: Phase, at: number) => void;
}

export interface RunResult {
  /**
   * `Completed`: every reachable cluster has the target. `Unfinished`: clusters failed within the tolerance, are parked, or may not move
   * yet. `Held`: a gate does not open without a decision of a user.
   */
  readonly outcome: 'Completed' | 'Halted' | 'TurnedBack' | 'Paused' | 'Held' | 'Unfinished';
  /** When the last cluster ended its move, or the rollout halted. */
  readonly endedAt: number;
  /** The number of clusters that were admitted to the target, including those in flight at the start. */
  readonly touched: number;
  readonly haltedAt: number | undefined;
  /** The group of the clusters that were admitted last. */
  readonly lastGroup: number | undefined;
}

export function runStart(state: StepInput, startAt: number, turnsBack: boolean): RunStart {
  const groups = state.groups.map((group) => placeGroup(state, group, startAt));
  const groupOf = new Map<ObservedCluster, number>();
  for (const [index, { waiting, retargets }] of groups.entries()) for (const seen of [...waiting, ...retargets]) groupOf.set(seen, index);
  return { state, groups, groupOf, startAt, turnsBack };
}

/**
 * Simulates the rollout of one entry. The rules of the fleet controller decide the phase of each cluster, the clusters to admit, and the
 * gates. A run visits only clusters whose state changes, so its cost per move does not depend on the size of the fleet.
 */
export class EntryRun {
  readonly #start: RunStart;
  readonly #options: RunOptions;
  readonly #groups: RunGroup[];
  readonly #events = new TimeHeap<MovingCluster>();
  #now: number;
  #endedAt: number;
  #touched = 0;
  #haltedAt: number | undefined;
  #failedSince: number | undefined;
  #lastGroup: number | undefined;
  #gating: GateAnswer | undefined;
  #hasChanged = false;
  readonly #hasRetargets: boolean;

  constructor(start: RunStart, options: RunOptions) {
    this.#start = start;
    this.#options = options;
    this.#groups = start.groups.map((group) => new RunGroup(group));
    this.#hasRetargets = start.groups.some(({ retargets }) => retargets.length > 0);
    this.#now = start.startAt;
    this.#endedAt = start.startAt;
  }

  run(): RunResult {
    this.#continueMoves();
    const { startAt } = this.#start;
    let recordedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      const { isExceeded, isExceededForGood } = this.#decide();
      if (this.#hasChanged) recordedAt = this.#now;
      this.#hasChanged = false;
      const turnAt = this.#turnBackAt(isExceededForGood);
      if (turnAt !== undefined && turnAt <= this.#now) return this.#result('TurnedBack');
      const nextAt = Math.min(
        this.#events.peek()?.at ?? Number.POSITIVE_INFINITY,
        this.#gatesChangeAt(),
        turnAt ?? Number.POSITIVE_INFINITY,
      );
      if (nextAt === Number.POSITIVE_INFINITY) return this.#result(this.#outcome(isExceeded));
      if (nextAt - startAt > HORIZON_MS) return this.#result('Held');
      this.#now = Math.max(nextAt, recordedAt + RECORD_SPACING_MS);
      this.#advance();
    }
  }

  /** Clusters that were in flight at the start continue; the time since their admission counts towards their durations. */
  #continueMoves(): void {
    const { groups, state, startAt } = this.#start;
    for (const [index, { inFlight }] of groups.entries()) {
      for (const { seen, phase } of inFlight) {
        const admission = seen.admission ?? state.wildcard;
        this.#touched++;
        if (!admission || seen.isElsewhere || phase === 'failed' || phase === 'parked') continue;
        const fate = this.#options.fateOf(seen.cluster);
        const elapsedMs = Math.max(0, startAt - admission.since);
        const isDone = seen.report.isDone && phase === 'soaking';
        const at = isDone ? startAt : startAt + (fate.afterMs > elapsedMs ? fate.afterMs - elapsedMs : fate.afterMs / 2);
        const moving = new MovingCluster(seen, index, { ...admission, revision: seen.targetRevision }, phase, fate.outcome, at);
        moving.meetFate(startAt);
        if (isDone) moving.soakingSince = seen.soakingSince;
        this.#place(moving);
      }
    }
  }

  /** One decision of the manager. Returns whether more clusters have failed than the strategy tolerates. */
  #decide(): { readonly isExceeded: boolean; readonly isExceededForGood: boolean } {
    const { state } = this.#start;
    const gates = this.#options.gates;
    this.#gating = gates?.answer(this.#groups, this.#now);
    const back = withheld(state, this.#groups, this.#gating);
    const isAll = state.strategy.type === 'All';
    const budget = nextClusters(state, this.#groups, back.clusters);
    if (budget.isExceeded) this.#haltedAt ??= this.#now;
    else this.#haltedAt = undefined;
    if (state.isPaused || budget.isExceeded || this.#gating?.failure !== undefined) return budget;
    const next = isAll ? this.#allWaiting(back.clusters) : budget.next;
    this.#admit(next, this.#hasRetargets ? this.#retargets(back.clusters) : []);
    return budget;
  }

  #retargets(held: ReadonlySet<string>): readonly ObservedCluster[] {
    return this.#groups.flatMap(({ retargets }) => retargets.filter(({ cluster }) => !held.has(cluster)));
  }

  #allWaiting(held: ReadonlySet<string>): readonly ObservedCluster[] {
    return this.#groups.flatMap(({ waiting }) => (held.size === 0 ? waiting : waiting.filter(({ cluster }) => !held.has(cluster))));
  }

  #admit(waiting: readonly ObservedCluster[], retargets: readonly ObservedCluster[]): void {
    const admitted = retargets.length === 0 ? waiting : [...waiting, ...retargets];
    if (admitted.length === 0) return;
    const groupOf = (seen: ObservedCluster): number => this.#start.groupOf.get(seen) ?? 0;
    this.#withdraw(admitted, groupOf);
    for (const seen of admitted) {
      const group = groupOf(seen);
      const fate = this.#options.fateOf(seen.cluster);
      const admission = admissionAt(seen.targetRevision, this.#now);
      const counts = (this.#groups[group] as RunGroup).counts;
      if (!seen.retarget) counts.waiting--;
      if (!seen.retarget) counts.progressing++;
      this.#place(new MovingCluster(seen, group, admission, 'progressing', fate.outcome, this.#now + fate.afterMs));
      this.#lastGroup = group;
    }
    this.#touched += waiting.length;
    this.#hasChanged = true;
    this.#options.onAdmission?.(admitted, groupOf, this.#now);
  }

  #withdraw(admitted: readonly ObservedCluster[], groupOf: (seen: ObservedCluster) => number): void {
    const [only, second] = admitted;
    if (only && !second && this.#groups[groupOf(only)]?.withdrawFirst(only)) return;
    const batch = new Set(admitted);
    const counted = new Map<number, number>();
    for (const seen of admitted) counted.set(groupOf(seen), (counted.get(groupOf(seen)) ?? 0) + 1);
    for (const [group, count] of counted) this.#groups[group]?.withdraw(batch, count);
  }

  #advance(): void {
    for (let next = this.#events.peek(); next && next.at <= this.#now; next = this.#events.peek()) {
      this.#events.pop();
      next.value.meetFate(this.#now);
      this.#place(next.value);
    }
  }

  /** Determines the phase of a moving cluster, and when it may change next. */
  #place(moving: MovingCluster): void {
    const { phase, recheckAt } = placeCluster(this.#start.state, moving, this.#now);
    if (phase !== moving.phase) {
      const counts = (this.#groups[moving.group] as RunGroup).counts;
      counts[moving.phase]--;
      counts[phase]++;
      moving.phase = phase;
      this.#hasChanged = true;
    }
    if (phase === 'succeeded' || phase === 'failed' || phase === 'parked') {
      this.#endedAt = this.#now;
      this.#options.onEnd?.(moving.cluster, phase, this.#now);
      return;
    }
    const at = Math.min(moving.fateAt, recheckAt ?? Number.POSITIVE_INFINITY);
    if (at !== Number.POSITIVE_INFINITY) this.#events.push(at, moving);
  }

  #gatesChangeAt(): number {
    const isOpen = this.#groups.some(({ counts }) => counts.waiting > 0) || this.#gating?.holdsEnd === true;
    if (!isOpen && !this.#groups.some(({ retargets }) => retargets.length > 0)) return Number.POSITIVE_INFINITY;
    const at = this.#gating?.recheckAt;
    return at === undefined ? Number.POSITIVE_INFINITY : Math.max(at, this.#now + 1);
  }

  /** When the way back starts, if a policy requests it. Only failed clusters count, not clusters that may still recover. */
  #turnBackAt(isBeyond: boolean): number | undefined {
    if (!this.#start.turnsBack) return undefined;
    this.#failedSince = isBeyond ? (this.#failedSince ?? this.#now) : undefined;
    return this.#failedSince === undefined ? undefined : this.#failedSince + TURN_BACK_AFTER_MS;
  }

  #outcome(isExceeded: boolean): RunResult['outcome'] {
    if (isExceeded) return 'Halted';
    const count = (phase: Phase): number => this.#groups.reduce((sum, { counts }) => sum + counts[phase], 0);
    const isMoving = count('progressing') + count('soaking') + count('failing') > 0;
    if (count('waiting') > 0) return this.#start.state.isPaused ? 'Paused' : this.#gating ? 'Held' : 'Unfinished';
    if (this.#gating?.holdsEnd) return 'Held';
    return isMoving || count('parked') + count('failed') > 0 ? 'Unfinished' : 'Completed';
  }

  #result(outcome: RunResult['outcome']): RunResult {
    const endedAt =
      outcome === 'Completed' && this.#options.gates ? Math.max(this.#endedAt, this.#options.gates.lastOpenedAt) : this.#endedAt;
    return { outcome, endedAt, touched: this.#touched, haltedAt: this.#haltedAt, lastGroup: this.#lastGroup };
  }
}

/** A group during a run. Counts and queues change in place; all other fields keep their initial values. */
class RunGroup implements PlacedGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly ObservedCluster[];
  readonly counts: Record<Phase, number>;
  waiting: ObservedCluster[];
  retargets: readonly ObservedCluster[];
  readonly skipped: PlacedGroup['skipped'];
  readonly inFlight: PlacedGroup['inFlight'] = [];
  readonly arrived: PlacedGroup['arrived'] = [];
  readonly unhealthyBefore = 0;
  readonly recheckAt = undefined;

  constructor({ index, name, clusters, counts, waiting, retargets, skipped }: PlacedGroup) {
    this.index = index;
    this.name = name;
    this.clusters = clusters;
    this.counts = { ...counts };
    this.waiting = waiting.slice();
    this.retargets = retargets;
    this.skipped = skipped;
  }

  /** Removes the cluster if it is the first in the queue. */
  withdrawFirst(seen: ObservedCluster): boolean {
    if (this.waiting[0] !== seen) return false;
    this.waiting.shift();
    return true;
  }

  /** Removes admitted clusters. They are usually the first ones, which can be removed without a copy of the queue. */
  withdraw(admitted: ReadonlySet<ObservedCluster>, count: number): void {
    let left = count;
    for (; left > 0 && this.waiting.length > 0 && admitted.has(this.waiting[0] as ObservedCluster); left--) this.waiting.shift();
    if (left > 0) this.waiting = this.waiting.filter((seen) => !admitted.has(seen));
    if (this.retargets.length > 0) this.retargets = this.retargets.filter((seen) => !admitted.has(seen));
  }
}
