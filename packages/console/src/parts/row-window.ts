/**
 * The rows to draw: the visible rows, and a few above and below them. `before` and `after` are the heights of the rows that are not drawn.
 */
export interface RowWindow {
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly after: number;
}

const MARGIN = 8;

/**
 * Computes the rows to draw from the scroll position, which is possible because all rows have the same height. `scrolled` may be out of
 * range, for example during overscroll.
 */
export function rowWindow(count: number, rowHeight: number, scrolled: number, visibleHeight: number): RowWindow {
  const last = Math.max(0, count - 1);
  const first = Math.min(last, Math.max(0, Math.floor(scrolled / rowHeight) - MARGIN));
  const from = first - (first % 2);
  const to = Math.min(count, Math.max(from, Math.ceil((scrolled + visibleHeight) / rowHeight) + MARGIN));
  return { from, to, before: from * rowHeight, after: (count - to) * rowHeight };
}
