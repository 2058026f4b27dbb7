/** The properties of a column that are used to fit a table into a width. */
export interface FittedColumn {
  readonly width: number;
  /** Columns that have this value are left out if the table is too wide, the lowest value first. */
  readonly dropAt?: number | undefined;
  /** Whether long texts of the column may be shortened. */
  readonly isShortened?: boolean | undefined;
}

const GAPS = [3, 2, 1];
const SHORTEST = 8;

/**
 * Fits columns into a width: first by narrower gaps, then by fewer columns, then by shorter texts. A column without `dropAt` is always
 * shown, so that states stay visible at any width. `widths` contains the shown columns by their index.
 */
export function fitColumns(
  columns: readonly FittedColumn[],
  width: number,
): { readonly gap: number; readonly widths: ReadonlyMap<number, number> } {
  const shown = new Map(columns.map((column, index) => [index, column.width] as const));
  const needed = (gap: number): number => [...shown.values()].reduce((sum, one) => sum + one, 0) + gap * Math.max(0, shown.size - 1);
  const [widest = 1] = GAPS;
  if (needed(widest) <= width) return { gap: widest, widths: shown };
  const order = [...columns.entries()]
    .filter(([, { dropAt }]) => dropAt !== undefined)
    .sort(([, a], [, b]) => (a.dropAt ?? 0) - (b.dropAt ?? 0));
  for (const [index] of order) {
    if (needed(2) <= width) break;
    shown.delete(index);
  }
  const gap = GAPS.find((one) => needed(one) <= width) ?? 1;
  for (const [index, column] of columns.entries()) {
    const over = needed(gap) - width;
    const now = shown.get(index);
    if (over <= 0 || now === undefined || !column.isShortened) continue;
    shown.set(index, Math.max(Math.min(SHORTEST, now), now - over));
  }
  return { gap, widths: shown };
}
