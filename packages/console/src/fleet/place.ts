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
  const step = stepOf(key, page);
  return step && { row: within(from.row + step.row, shown.rows), column: within(from.column + step.column, shown.columns) };
}

function stepOf(key: string, page: number): Place | undefined {
  switch (key) {
    case 'ArrowUp':
      return { row: -1, column: 0 };
    case 'ArrowDown':
      return { row: 1, column: 0 };
    case 'ArrowLeft':
      return { row: 0, column: -1 };
    case 'ArrowRight':
      return { row: 0, column: 1 };
    case 'PageUp':
      return { row: -page, column: 0 };
    case 'PageDown':
      return { row: page, column: 0 };
    default:
      return undefined;
  }
}

function within(position: number, count: number): number {
  return Math.max(0, Math.min(count - 1, position));
}
