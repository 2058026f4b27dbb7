/** A cell on the screen, by the position of its row and its column. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/**
 * Returns the place to which a key moves from a place, within the rows and columns that are shown; undefined for a key that does not move.
 * `page` is the number of rows that Page Up and Page Down move.
 */
export function placeAfter(
  key: string,
  from: Place,
  shown: { readonly rows: number; readonly columns: number },
  page: number,
): Place | undefined {
  const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageUp: [-page, 0],
    PageDown: [page, 0],
  };
  const step = steps[key];
  return step && { row: within(from.row + step[0], shown.rows), column: within(from.column + step[1], shown.columns) };
}

function within(position: number, count: number): number {
  return Math.max(0, Math.min(count - 1, position));
}
