/** The positions of the cells in a heat map, in CSS pixels. The canvas shows the part that starts at `scrolled`. */
export interface HeatMapLayout {
  readonly columns: number;
  readonly rows: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
  /** The height of all rows together, in pixels. */
  readonly height: number;
}

const SMALLEST_WIDTH = 12;

export function heatMapLayout(rows: number, columns: number, width: number): HeatMapLayout {
  const cellWidth = Math.max(SMALLEST_WIDTH, Math.floor(width / Math.max(1, columns)));
  const cellHeight = rows > 5_000 ? 5 : 8;
  return { columns, rows, cellWidth, cellHeight, height: rows * cellHeight };
}

/** Returns the cell at a point. Coordinates are relative to the first row. */
export function cellAt(layout: HeatMapLayout, x: number, y: number): { readonly row: number; readonly column: number } | undefined {
  const column = Math.floor(x / layout.cellWidth);
  const row = Math.floor(y / layout.cellHeight);
  return column < 0 || column >= layout.columns || row < 0 || row >= layout.rows ? undefined : { row, column };
}

/** Returns the rows to draw, and the position of the first one on the canvas. */
export function visibleRows(layout: HeatMapLayout, scrolled: number, canvasHeight: number): { from: number; to: number; y: number } {
  const from = Math.max(0, Math.floor(scrolled / layout.cellHeight));
  const to = Math.min(layout.rows, Math.ceil((scrolled + canvasHeight) / layout.cellHeight));
  return { from, to: Math.max(from, to), y: from * layout.cellHeight - scrolled };
}
