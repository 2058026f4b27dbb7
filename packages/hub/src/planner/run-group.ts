import type { ObservedCluster, Phase, PlacedGroup } from '@outrigger/rules/rollout';

/** A group during a run. Counts and queues change in place; all other fields keep their values from the start. */
export class RunGroup implements PlacedGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly ObservedCluster[];
  readonly counts: Record<Phase, number>;
  waiting: ObservedCluster[];
  retargets: readonly ObservedCluster[];
  readonly skipped: PlacedGroup['skipped'];
  readonly inFlight: PlacedGroup['inFlight'] = [];
  readonly failures: PlacedGroup['failures'] = [];
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

  /** Removes admitted clusters from the queue. They are usually the first ones, which can be removed without copying the queue. */
  withdraw(admitted: ReadonlySet<ObservedCluster>, count: number): void {
    let left = count;
    for (; left > 0 && this.waiting.length > 0 && admitted.has(this.waiting[0] as ObservedCluster); left--) this.waiting.shift();
    if (left > 0) this.waiting = this.waiting.filter((seen) => !admitted.has(seen));
    if (this.retargets.length > 0) this.retargets = this.retargets.filter((seen) => !admitted.has(seen));
  }

  /** Queues a cluster that has finished its move to an earlier revision and now waits for the target. */
  queue(seen: ObservedCluster): void {
    this.retargets = this.retargets.filter(({ cluster }) => cluster !== seen.cluster);
    const position = this.waiting.findIndex((other) => isBefore(seen, other));
    this.waiting.splice(position < 0 ? this.waiting.length : position, 0, seen);
    this.counts.progressing--;
    this.counts.waiting++;
  }
}

/**
 * Whether `a` comes before `b` in the order of `placeGroup`: clusters with a later revision than the target come first, and otherwise the
 * names decide.
 */
function isBefore(a: ObservedCluster, b: ObservedCluster): boolean {
  if (a.isReturning !== b.isReturning) return a.isReturning;
  return a.cluster < b.cluster;
}
