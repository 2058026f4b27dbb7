/** The properties of a column that are used to fit a table into a width. */
export interface FittedColumn {
  readonly width: number;
  /**
   * The drop priority. If the table is too wide, the column with the lowest value is dropped first; a column without a value is always
   * kept.
   */
  readonly dropAt?: number | undefined;
  /** Whether long cells of the column may be shortened. */
  readonly isShortened?: boolean | undefined;
}

const GAPS = [3, 2, 1];
const SHORTEST = 8;

/**
 * Fits columns into a width: first with narrower gaps, then with fewer columns, then with shorter cells. A column without `dropAt` is
 * always shown, so that states are visible at any width. `widths` contains the shown columns by their index.
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
  shortenWidest(shown, new Set(columns.flatMap(({ isShortened }, index) => (isShortened ? [index] : []))), () => needed(gap) - width);
  return { gap, widths: shown };
}

/** Shortens the widest column step by step, so that a long cell does not take the space of the short ones beside it. */
function shortenWidest(shown: Map<number, number>, shortened: ReadonlySet<number>, over: () => number): void {
  while (over() > 0) {
    const [widest, second] = [...shown].filter(([index, width]) => shortened.has(index) && width > SHORTEST).sort(([, a], [, b]) => b - a);
    if (!widest) return;
    const [index, width] = widest;
    // Narrow the widest column to the width of the second widest, and then narrow both, one character at a time.
    const step = Math.max(1, width - Math.max(SHORTEST, second?.[1] ?? SHORTEST));
    shown.set(index, width - Math.min(step, over()));
  }
}
