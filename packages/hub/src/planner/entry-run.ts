import { TimeHeap } from '@outrigger/core';
import {
  chooseAdmissions,
  type GateAnswer,
  hasCompleted,
  type ObservedCluster,
  type Phase,
  type PlacedGroup,
  placeCluster,
  placeGroup,
  type StepInput,
  sumCounts,
} from '@outrigger/rules/rollout';
import { EarlierMove } from './earlier-move.js';
import { admissionAt, type Fate, MovingCluster } from './moving-cluster.js';
import type { RunGates } from './run-gates.js';
import { RunGroup } from './run-group.js';
import type { Reaction } from './turn-back.js';

/** The manager writes a record at most once per second. */
const RECORD_SPACING_MS = 1_000;
/** A rollout that has not ended after this time is reported as held. */
const HORIZON_MS = 400 * 24 * 3_600_000;

/** The clusters of an entry at the start of all runs. */
export interface RunStart {
  readonly state: StepInput;
  readonly groups: readonly PlacedGroup[];
  /** The index of the group, for each cluster that may be admitted. */
  readonly groupOf: ReadonlyMap<string, number>;
  readonly startAt: number;
  /** Decides whether the entry rolls back automatically; undefined if no policy requests rollbacks. */
  readonly reaction: Reaction | undefined;
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
   * yet. `Held`: a gate does not open without a decision.
   */
  readonly outcome: 'Completed' | 'Halted' | 'TurnedBack' | 'Paused' | 'Held' | 'Unfinished';
  /** When the last cluster finished its move, or when the rollout halted. */
  readonly endedAt: number;
  /** The number of clusters that were admitted to the target, including those that were in flight at the start. */
  readonly touched: number;
  readonly haltedAt: number | undefined;
  /** The group whose clusters were admitted last. */
  readonly lastGroup: number | undefined;
}

/** The end of the soak of a cluster that had failed before the simulated run started. */
interface Recovery {
  /** The index of the cluster's group in the run. */
  readonly recoveredIn: number;
}

export function runStart(state: StepInput, startAt: number, reaction?: Reaction): RunStart {
  const groups = state.groups.map((group) => placeGroup(state, group, startAt));
  const groupOf = new Map<string, number>();
  for (const [index, { waiting, inFlight }] of groups.entries()) {
    for (const { cluster } of waiting) groupOf.set(cluster, index);
    for (const { seen } of inFlight) if (seen.isElsewhere) groupOf.set(seen.cluster, index);
  }
  return { state, groups, groupOf, startAt, reaction };
}

/**
 * Simulates the rollout of one entry. The rules of the fleet controller decide the phase of each cluster, the clusters to admit, and the
 * gates. A run visits only clusters whose state changes, so its cost per move does not depend on the size of the fleet.
 */
export class EntryRun {
  readonly #start: RunStart;
  readonly #options: RunOptions;
  readonly #groups: RunGroup[];
  readonly #events = new TimeHeap<MovingCluster | EarlierMove | Recovery>();
  /** The clusters in flight to a revision other than the target, by name. */
  readonly #elsewhere = new Map<string, EarlierMove>();
  #now: number;
  #endedAt: number;
  #touched = 0;
  #haltedAt: number | undefined;
  #failedSince: string | undefined;
  #lastGroup: number | undefined;
  #gating: GateAnswer | undefined;
  #hasChanged = false;
  #hasStarted = false;
  #recordedAt = Number.NEGATIVE_INFINITY;

  constructor(start: RunStart, options: RunOptions) {
    this.#start = start;
    this.#options = options;
    this.#groups = start.groups.map((group) => new RunGroup(group));
    this.#now = start.startAt;
    this.#endedAt = start.startAt;
  }

  run(): RunResult {
    return this.continue(Number.POSITIVE_INFINITY) as RunResult;
  }

  /** Continues the run for at most this many events. Returns undefined if it has not ended by then. */
  continue(events: number): RunResult | undefined {
    if (!this.#hasStarted) this.#continueMoves();
    this.#hasStarted = true;
    const { startAt } = this.#start;
    for (let left = events; left > 0; left--) {
      const { isExceeded, isExceededForGood } = this.#decide();
      const isNextPassDue = this.#hasChanged && this.#options.gates?.isOutdated(this.#groups) === true;
      if (this.#hasChanged) this.#recordedAt = this.#now;
      this.#hasChanged = false;
      const { isTurningBack, turnAt } = this.#react(isExceededForGood);
      if (isTurningBack) return this.#result('TurnedBack');
      const passAt = isNextPassDue ? this.#now + RECORD_SPACING_MS : Number.POSITIVE_INFINITY;
      const nextAt = Math.min(this.#events.peek()?.at ?? Number.POSITIVE_INFINITY, this.#gatesChangeAt(), turnAt, passAt);
      if (nextAt === Number.POSITIVE_INFINITY) return this.#result(this.#outcome(isExceeded));
      if (nextAt - startAt > HORIZON_MS) return this.#result('Held');
      this.#now = Math.max(nextAt, this.#recordedAt + RECORD_SPACING_MS);
      this.#advance();
    }
    return undefined;
  }

  /** Continues the moves that were in flight at the start. The time that a move has already taken counts towards its drawn duration. */
  #continueMoves(): void {
    const { groups, state, startAt } = this.#start;
    for (const [index, { inFlight, failures }] of groups.entries()) {
      for (const { recheckAt } of failures) if (recheckAt !== undefined) this.#events.push(recheckAt, { recoveredIn: index });
      for (const { seen, phase } of inFlight) {
        if (seen.isElsewhere) {
          this.#moveElsewhere(seen, index, seen.isUnwritten ? RECORD_SPACING_MS : this.#options.fateOf(seen.cluster).afterMs);
          continue;
        }
        const admission = seen.admission ?? state.wildcard;
        this.#touched++;
        if (!admission || phase === 'failed' || phase === 'parked') continue;
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

  /** Starts a move of the cluster to a revision other than the target. After this move, the cluster waits for the target. */
  #moveElsewhere(seen: ObservedCluster, group: number, afterMs: number): void {
    const move = new EarlierMove(seen, group);
    this.#elsewhere.set(seen.cluster, move);
    if (!seen.isUnreachable) this.#events.push(this.#now + afterMs, move);
  }

  /** Decides once, as the manager would. Returns the budget, which says whether more clusters have failed than the strategy tolerates. */
  #decide(): { readonly isExceeded: boolean; readonly isExceededForGood: boolean } {
    this.#gating = this.#options.gates?.answer(this.#groups, this.#now);
    const { next, retargets, joiners, back, budget, hold } = chooseAdmissions(this.#start.state, this.#groups, this.#gating);
    if (budget.isExceeded) this.#haltedAt ??= this.#now;
    else this.#haltedAt = undefined;
    this.#admit(next, retargets);
    // While the rollout is paused or halted, joining clusters do not affect the end of the run.
    if (hold === undefined) this.#join(joiners);
    if (hold === undefined && !back.holdsJoiners) this.#releaseJoiners();
    return budget;
  }

  /** Admits joining clusters to the last completed revision while a gate prevents their admission to the target. */
  #join(joiners: readonly ObservedCluster[]): void {
    if (joiners.length === 0) return;
    const groupOf = (seen: ObservedCluster): number => this.#start.groupOf.get(seen.cluster) ?? 0;
    this.#withdraw(joiners, groupOf);
    for (const seen of joiners) {
      const { counts } = this.#groups[groupOf(seen)] as RunGroup;
      counts.waiting--;
      counts.progressing++;
      this.#moveElsewhere(seen, groupOf(seen), this.#options.fateOf(seen.cluster).afterMs);
    }
    this.#hasChanged = true;
  }

  /**
   * When no gate holds clusters any more, makes the clusters that are in flight to the last completed revision wait for the target instead.
   */
  #releaseJoiners(): void {
    if (this.#elsewhere.size === 0) return;
    for (const move of this.#elsewhere.values()) {
      if (move.seen.retarget || move.seen.isUnwritten || move.isReleased) continue;
      move.isReleased = true;
      this.#events.push(this.#now + RECORD_SPACING_MS, move);
    }
  }

  #admit(waiting: readonly ObservedCluster[], retargets: readonly ObservedCluster[]): void {
    const admitted = retargets.length === 0 ? waiting : [...waiting, ...retargets];
    if (admitted.length === 0) return;
    const groupOf = (seen: ObservedCluster): number => this.#start.groupOf.get(seen.cluster) ?? 0;
    this.#withdraw(admitted, groupOf);
    for (const seen of admitted) {
      const group = groupOf(seen);
      const fate = this.#options.fateOf(seen.cluster);
      const admission = admissionAt(seen.targetRevision, this.#now);
      const counts = (this.#groups[group] as RunGroup).counts;
      if (seen.retarget) {
        this.#elsewhere.delete(seen.cluster);
      } else {
        counts.waiting--;
        counts.progressing++;
      }
      this.#place(new MovingCluster(seen, group, admission, 'progressing', fate.outcome, this.#now + fate.afterMs));
      this.#lastGroup = group;
    }
    this.#touched += admitted.length;
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
      const { value } = next;
      if (value instanceof EarlierMove) {
        this.#endElsewhere(value);
        continue;
      }
      if ('recoveredIn' in value) {
        this.#recover(value);
        continue;
      }
      value.meetFate(this.#now);
      this.#place(value);
    }
  }

  #endElsewhere(move: EarlierMove): void {
    if (this.#elsewhere.get(move.seen.cluster) !== move) return;
    this.#elsewhere.delete(move.seen.cluster);
    (this.#groups[move.group] as RunGroup).queue(move.after());
    this.#options.gates?.forget();
    this.#hasChanged = true;
  }

  #recover({ recoveredIn }: Recovery): void {
    const { counts } = this.#groups[recoveredIn] as RunGroup;
    counts.recovering--;
    counts.succeeded++;
    this.#endedAt = this.#now;
    this.#hasChanged = true;
  }

  /** Determines the phase of a moving cluster, and the time at which the phase may change next. */
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

  /** Determines whether the entry rolls back automatically now, or the time at which it will roll back unless a cluster recovers. */
  #react(hasTooManyFailed: boolean): { readonly isTurningBack: boolean; readonly turnAt: number } {
    const { reaction } = this.#start;
    if (!reaction || !hasTooManyFailed) {
      this.#failedSince = undefined;
      return { isTurningBack: false, turnAt: Number.POSITIVE_INFINITY };
    }
    const decision = { counts: sumCounts(this.#groups), hasTooManyFailed, gating: this.#gating };
    const { failedSince, recheckAt = Number.POSITIVE_INFINITY, rejects } = reaction(decision, this.#failedSince, this.#now);
    this.#failedSince = failedSince;
    return { isTurningBack: rejects !== undefined, turnAt: recheckAt };
  }

  #outcome(isExceeded: boolean): RunResult['outcome'] {
    if (isExceeded) return 'Halted';
    const counts = sumCounts(this.#groups);
    if (hasCompleted(counts, this.#gating)) return 'Completed';
    if (counts.waiting > 0) return this.#start.state.isPaused ? 'Paused' : this.#gating ? 'Held' : 'Unfinished';
    return this.#gating?.holdsEnd ? 'Held' : 'Unfinished';
  }

  #result(outcome: RunResult['outcome']): RunResult {
    const endedAt =
      outcome === 'Completed' && this.#options.gates ? Math.max(this.#endedAt, this.#options.gates.lastOpenedAt) : this.#endedAt;
    return { outcome, endedAt, touched: this.#touched, haltedAt: this.#haltedAt, lastGroup: this.#lastGroup };
  }
}
