import type { DependencyGraph } from '@outrigger/console-contract';

export interface PlacedNode {
  readonly name: string;
  readonly isDeclared: boolean;
  /** Negative for dependencies of the add-on in the middle, positive for its dependents. */
  readonly column: number;
  readonly row: number;
}

/** Places one add-on in the middle, its dependencies to the left and its dependents to the right, ordered by the length of the path. */
export function placeNodes({ nodes, edges }: DependencyGraph, middle: string): PlacedNode[] {
  const columns = new Map<string, number>([[middle, 0]]);
  const spread = (step: 1 | -1) => {
    let border = [middle];
    for (let distance = 1; border.length > 0 && distance <= nodes.length; distance++) {
      const next = border.flatMap((name) =>
        edges.flatMap(({ from, to }) => (step < 0 ? (from === name ? [to] : []) : to === name ? [from] : [])),
      );
      border = [...new Set(next)].filter((name) => !columns.has(name));
      for (const name of border) columns.set(name, step * distance);
    }
  };
  spread(-1);
  spread(1);
  const rows = new Map<number, number>();
  return nodes.map(({ name, isDeclared }) => {
    const column = columns.get(name) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { name, isDeclared, column, row };
  });
}
