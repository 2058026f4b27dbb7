/** The declared dependencies of every add-on, by name. */
export type DependencyEdges = ReadonlyMap<string, readonly string[]>;

export interface DependencyGraph {
  /** The way round from `from` over `to` back to `from` (`[a, b, a]`), or undefined where that edge is on no cycle. */
  cycleThrough(from: string, to: string): readonly string[] | undefined;
  /** Some cycle that contains the add-on, beginning and ending with it. */
  cycleOf(name: string): readonly string[] | undefined;
}

/** Linear in add-ons and edges, and iterative: a chain of ten thousand is nothing special. */
export function dependencyGraph(edges: DependencyEdges): DependencyGraph {
  const component = stronglyConnected(edges);
  const onCycle = (from: string, to: string): boolean =>
    (edges.get(from)?.includes(to) ?? false) && (from === to || (component.has(from) && component.get(from) === component.get(to)));
  const cycleThrough = (from: string, to: string): readonly string[] | undefined => {
    if (!onCycle(from, to)) return undefined;
    return [from, ...shortestPath(edges, to, from, (name) => component.get(name) === component.get(from))];
  };
  return {
    cycleThrough,
    cycleOf(name) {
      const next = edges.get(name)?.find((to) => onCycle(name, to));
      return next === undefined ? undefined : cycleThrough(name, next);
    },
  };
}

/** Both ends included; `from` may be `to`. Only called where a path exists. */
function shortestPath(edges: DependencyEdges, from: string, to: string, isInside: (name: string) => boolean): string[] {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  const queue = [from];
  for (let head = 0; head < queue.length && !cameFrom.has(to); head++) {
    const name = queue[head] as string;
    for (const next of edges.get(name) ?? []) {
      if (cameFrom.has(next) || !isInside(next)) continue;
      cameFrom.set(next, name);
      queue.push(next);
    }
  }
  const path: string[] = [];
  for (let name: string | undefined = to; name !== undefined; name = cameFrom.get(name)) path.unshift(name);
  return path;
}

/** Tarjan's algorithm with its own stack. Add-ons share a number exactly if each depends, over some way, on the other. */
function stronglyConnected(edges: DependencyEdges): ReadonlyMap<string, number> {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const component = new Map<string, number>();
  const open: string[] = [];
  let components = 0;

  const visit = (root: string): void => {
    const frames: { name: string; next: number }[] = [];
    const enter = (name: string): void => {
      order.set(name, order.size);
      low.set(name, order.get(name) as number);
      open.push(name);
      frames.push({ name, next: 0 });
    };
    enter(root);
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const { name } = frame;
      const next = edges.get(name)?.[frame.next++];
      if (next !== undefined) {
        if (!order.has(next)) enter(next);
        else if (!component.has(next)) low.set(name, Math.min(low.get(name) as number, order.get(next) as number));
        continue;
      }
      frames.pop();
      const parent = frames.at(-1)?.name;
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent) as number, low.get(name) as number));
      if (low.get(name) !== order.get(name)) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component.set(member, components);
        if (member === name) break;
      }
      components += 1;
    }
  };
  for (const name of edges.keys()) if (!order.has(name)) visit(name);
  return component;
}
