import type { DependencyGraph } from '@outrigger/console-contract';
import { clipText } from '@outrigger/core';

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

const WIDEST = 170;
const NARROWEST = 104;
const WIDEST_GAP = 60;
const NARROWEST_GAP = 24;

/** The width of the columns and of the gaps between them. They are as wide as the available width allows, but not too narrow to read. */
export function columnSizes(columns: number, available: number): { readonly width: number; readonly gap: number } {
  const widest = columns * WIDEST + (columns - 1) * WIDEST_GAP;
  const narrowest = columns * NARROWEST + (columns - 1) * NARROWEST_GAP;
  // `available` is 0 until the box is measured. The borders take 2 pixels.
  const share = available === 0 ? 1 : Math.max(0, Math.min(1, (available - 2 - narrowest) / (widest - narrowest)));
  const between = (least: number, most: number) => Math.floor(least + (most - least) * share);
  return { width: between(NARROWEST, WIDEST), gap: between(NARROWEST_GAP, WIDEST_GAP) };
}

/** The name of an add-on, cut to the number of characters that fit, with a note if the add-on is not declared. */
export function nodeText(name: string, isDeclared: boolean, most: number): string {
  const note = isDeclared ? '' : most < 18 ? ' (!)' : ' (missing)';
  const room = most - note.length;
  return `${clipText(name, room)}${note}`;
}
