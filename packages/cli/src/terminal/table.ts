import { clean } from './clean.js';
import { clip } from './clip.js';
import { displayWidth } from './display-width.js';
import { fitColumns } from './fit-columns.js';
import { PLAIN, type Style } from './terminal.js';

/** One cell: its text, which may contain unsafe characters, and optionally its style. */
export type Cell = string | { readonly text: string; readonly as: keyof Style };

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Cell | undefined;
  /** Whether the column is shown only with `-o wide`. */
  readonly wide?: boolean;
  /**
   * The drop priority. If the terminal is too narrow, the column with the lowest number is dropped first. State columns have no number, so
   * they are always shown.
   */
  readonly dropAt?: number;
  /** Whether long cells of this column are shortened if the terminal is too narrow. */
  readonly isShortened?: boolean;
}

export interface TableOptions {
  readonly style?: Style;
  readonly wide?: boolean;
  readonly headers?: boolean;
  /** The width of the terminal in columns. If it is undefined or `wide` is set, the table is as wide as its content. */
  readonly width?: number | undefined;
}

/**
 * Formats a table as kubectl does: each column is as wide as its widest cell, and the last one is not padded. This function cleans all
 * cells, so callers need not clean them.
 */
export function table<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[], options: TableOptions = {}): string {
  const { style = PLAIN, wide = false, headers = true, width = Infinity } = options;
  const candidates = columns.filter((column) => wide || !column.wide);
  const all = rows.map((row) => candidates.map((column) => plainCell(column.cell(row))));
  const natural = candidates.map(({ title, dropAt, isShortened }, index) => ({
    width: Math.max(headers ? title.length : 0, ...all.map((row) => displayWidth(row[index]?.text ?? ''))),
    dropAt,
    isShortened,
  }));
  const { gap, widths } = fitColumns(natural, wide ? Infinity : width);
  const indexes = [...widths.keys()];
  const line = (cells: readonly PlainCell[]): string =>
    indexes
      .map((index, position) => {
        const { text, as } = cells[index] ?? { text: '' };
        const room = widths.get(index) ?? 0;
        const shown = shorten(text, room);
        const pad = position === indexes.length - 1 ? '' : ' '.repeat(Math.max(0, room - displayWidth(shown)) + gap);
        return `${as ? style[as](shown) : shown}${pad}`;
      })
      .join('')
      .trimEnd();
  const titles = headers ? [line(candidates.map(({ title }) => ({ text: title, as: 'dim' as const })))] : [];
  return [...titles, ...all.map(line)].map((text) => `${text}\n`).join('');
}

type PlainCell = { readonly text: string; readonly as?: keyof Style };

function shorten(text: string, room: number): string {
  return displayWidth(text) <= room ? text : `${clip(text, Math.max(0, room - 1))}…`;
}

function plainCell(cell: Cell | undefined): PlainCell {
  if (cell === undefined || cell === '') return { text: '-' };
  if (typeof cell === 'string') return { text: clean(cell) };
  return { text: clean(cell.text), as: cell.as };
}
