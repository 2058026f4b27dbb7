export type DependsOn = (addOn: string) => Iterable<string>;

/** The cycles that contain one add-on. Each method builds only the cycles that it returns. */
export interface DependencyCycles {
  /**
   * Returns the shortest cycle that leads from the add-on through `dependency` back to the add-on, with the add-on at both ends. Returns
   * undefined if there is none.
   */
  through(dependency: string): readonly string[] | undefined;
  /** Returns every other add-on that shares a cycle with the add-on. */
  members(): Iterable<string>;
  /** Returns the shortest cycle. If several are equally short, returns the one through the first declared dependency. */
  shortest(): readonly string[] | undefined;
}

/**
 * Finds the cycles through an add-on, with one forward search over all reachable add-ons and one backward search over the same
 * dependencies. The cost is linear in the number of reachable dependencies. The searches do not recurse, so long chains do not overflow the
 * stack.
 */
export function dependencyCycles(addOn: string, dependsOn: DependsOn): DependencyCycles {
  const own = [...dependsOn(addOn)];
  const towards = nextStepTowards(addOn, dependents(addOn, dependsOn));
  const through = (dependency: string): readonly string[] | undefined => {
    if (dependency !== addOn && !towards.has(dependency)) return undefined;
    const path = [addOn, dependency];
    for (let current = dependency; current !== addOn; ) {
      current = towards.get(current)?.name ?? addOn;
      path.push(current);
    }
    return path;
  };
  return {
    through,
    members: () => towards.keys(),
    shortest() {
      const lengthOf = (name: string): number => (name === addOn ? 0 : (towards.get(name)?.steps ?? Number.POSITIVE_INFINITY));
      const nearest = own.reduce<string | undefined>(
        (best, name) => (lengthOf(name) < (best === undefined ? Number.POSITIVE_INFINITY : lengthOf(best)) ? name : best),
        undefined,
      );
      return nearest === undefined ? undefined : through(nearest);
    },
  };
}

/** Returns the direct dependents of each add-on that `addOn` can reach. Only dependents that `addOn` can also reach are included. */
function dependents(addOn: string, dependsOn: DependsOn): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>();
  const queue = [addOn];
  const seen = new Set(queue);
  for (const current of queue) {
    for (const next of dependsOn(current)) {
      const list = known.get(next);
      if (list) list.push(current);
      else known.set(next, [current]);
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return known;
}

/** Returns, for every add-on from which `goal` is reachable, the next step on a shortest path to `goal` and the length of this path. */
function nextStepTowards(
  goal: string,
  dependentsOf: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, { readonly name: string; readonly steps: number }> {
  const found = new Map<string, { readonly name: string; readonly steps: number }>();
  const queue = [goal];
  for (const current of queue) {
    const steps = (found.get(current)?.steps ?? 0) + 1;
    for (const previous of dependentsOf.get(current) ?? []) {
      if (previous === goal || found.has(previous)) continue;
      found.set(previous, { name: current, steps });
      queue.push(previous);
    }
  }
  return found;
}

/** A cycle with at most this many names is written in full. */
const MAX_NAMES = 12;
const NAMES_AT_THE_START = 8;
const NAMES_AT_THE_END = 3;

/**
 * Returns a cycle as text. The text omits the middle of a long cycle, because the text must fit in a condition of each add-on in the cycle.
 */
export function cycleText(cycle: readonly string[]): string {
  if (cycle.length <= MAX_NAMES) return cycle.join(' -> ');
  const left = cycle.length - NAMES_AT_THE_START - NAMES_AT_THE_END;
  return [...cycle.slice(0, NAMES_AT_THE_START), `(${left} more)`, ...cycle.slice(-NAMES_AT_THE_END)].join(' -> ');
}
