import type { LogEntry, ObjectHistory, Violation } from './log.js';
import { KIND, membershipOf } from './reading.js';

/** The minimum time between the end of a cluster's selection and the removal of its add-on. */
const DELAY_MS = 10_000;
/**
 * The longest time between a change and the pass that it starts, on the slowest hub of a run. A hub may not observe a selection that lasted
 * for less time.
 */
const UNSEEN_MS = 100;
/**
 * The declaration, PlacementDecisions and ManagedClusters come from different watches. If all of them change at once, the hub may observe a
 * state in which no entry selects the cluster up to this long before the selection ends.
 */
const WATCH_LAG_MS = 100;
const SELECTING: ReadonlySet<string> = new Set([KIND.declarations, KIND.decisions, KIND.clusters]);

/**
 * addons.md §2: an add-on is removed when no entry has selected its cluster for ten seconds. The rule applies only to runs without faults.
 */
export class Departures {
  readonly #history: ObjectHistory;
  /** For each add-on and cluster, the time since which no entry has selected the cluster; undefined while an entry selects it. */
  readonly #leftAt = new Map<string, number | undefined>();
  /** For each add-on and cluster that was selected again: the time of the new selection, and the time at which the previous one ended. */
  readonly #returned = new Map<string, { readonly at: number; readonly leftAt: number }>();

  constructor(history: ObjectHistory) {
    this.#history = history;
  }

  /** Checks one entry of the log. Called before the entry is added to the history. */
  judge({ kind, id, pass, before, after, index }: LogEntry): readonly Violation[] {
    const isRemoved = kind === KIND.addOns && pass?.controller === 'fleet' && before && !after;
    if (!isRemoved) return [];
    const [cluster = '', addOn = ''] = id.split('/');
    const name = `${addOn}/${cluster}`;
    if (!this.#leftAt.has(name)) return [];
    const returned = this.#returned.get(name);
    const leftAt = this.#leftAt.get(name) ?? (returned && pass.at - returned.at < UNSEEN_MS ? returned.leftAt : undefined);
    if (leftAt !== undefined && pass.at - leftAt >= DELAY_MS - WATCH_LAG_MS) return [];
    const since = leftAt === undefined ? 'it is still selected' : `it was selected ${pass.at - leftAt} ms ago`;
    return [{ rule: 'removal delay', message: `${id} is removed although ${since}`, index }];
  }

  /** Called with each log entry after it was added to the history of objects. */
  note({ kind, at }: LogEntry): void {
    if (!SELECTING.has(kind)) return;
    for (const declaration of this.#history.list(KIND.declarations)) {
      const addOn = declaration.metadata.name ?? '';
      const selected = new Set(membershipOf(this.#history, declaration).flatMap(({ clusters }) => clusters));
      for (const cluster of selected) {
        const name = `${addOn}/${cluster}`;
        const leftAt = this.#leftAt.get(name);
        if (leftAt !== undefined) this.#returned.set(name, { at, leftAt });
        this.#leftAt.set(name, undefined);
      }
      for (const [name, leftAt] of this.#leftAt) {
        const [other, cluster = ''] = name.split('/');
        if (other !== addOn || leftAt !== undefined || selected.has(cluster)) continue;
        const returned = this.#returned.get(name);
        this.#leftAt.set(name, returned && at - returned.at < UNSEEN_MS ? returned.leftAt : at);
      }
    }
  }
}
