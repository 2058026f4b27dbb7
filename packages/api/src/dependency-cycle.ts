export type DependsOn = (addOn: string) => Iterable<string>;

/**
 * The shortest cycle the dependency `from -> to` is part of, starting and ending with `from`; undefined if it is on none.
 * Breadth first and without recursion: linear in the number of dependencies, however long their chains are.
 */
export function cycleThrough(from: string, to: string, dependsOn: DependsOn): readonly string[] | undefined {
  const cameFrom = new Map<string, string>([[to, from]]);
  const queue = [to];
  for (const current of queue) {
    if (current === from) return traceBack(cameFrom, from, to);
    for (const next of dependsOn(current)) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, current);
      queue.push(next);
    }
  }
  return undefined;
}

/** The shortest cycle through an add-on, by the first of its dependencies that is on one. */
export function dependencyCycle(addOn: string, dependsOn: DependsOn): readonly string[] | undefined {
  let shortest: readonly string[] | undefined;
  for (const dependency of dependsOn(addOn)) {
    const cycle = cycleThrough(addOn, dependency, dependsOn);
    if (cycle && (!shortest || cycle.length < shortest.length)) shortest = cycle;
  }
  return shortest;
}

function traceBack(cameFrom: ReadonlyMap<string, string>, from: string, to: string): readonly string[] {
  const path = [from];
  for (let current = from; current !== to; ) {
    current = cameFrom.get(current) ?? to;
    path.push(current);
  }
  path.push(from);
  return path.reverse();
}
