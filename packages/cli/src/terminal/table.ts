import { clean } from './clean.js';
import { PLAIN, type Style } from './terminal.js';

/** One cell: its text, which need not be clean, and its style if colours are on. */
export type Cell = string | { readonly text: string; readonly as: keyof Style };

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Cell | undefined;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

export interface TableOptions {
  readonly style?: Style;
  readonly wide?: boolean;
  readonly headers?: boolean;
}

const GAP = '   ';

/**
 * A table in kubectl's format: each column is as wide as its widest cell, and the last one is not padded. Cells are cleaned here, so that
 * no caller can forget it.
 */
export function table<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[], options: TableOptions = {}): string {
  const { style = PLAIN, wide = false, headers = true } = options;
  const shown = columns.filter((column) => wide || !column.wide);
  const cells = rows.map((row) => shown.map((column) => plainCell(column.cell(row))));
  const widths = shown.map((column, index) =>
    Math.max(headers ? column.title.length : 0, ...cells.map((row) => displayWidth(row[index]?.text ?? ''))),
  );
  const line = (row: readonly { readonly text: string; readonly as?: keyof Style }[]): string =>
    row
      .map(({ text, as }, index) => {
        const pad = index === row.length - 1 ? '' : ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(text))) + GAP;
        return `${as ? style[as](text) : text}${pad}`;
      })
      .join('')
      .trimEnd();
  const titles = headers ? [line(shown.map(({ title }) => ({ text: title, as: 'dim' as const })))] : [];
  return [...titles, ...cells.map(line)].map((text) => `${text}\n`).join('');
}

function plainCell(cell: Cell | undefined): { text: string; as?: keyof Style } {
  if (cell === undefined || cell === '') return { text: '-' };
  if (typeof cell === 'string') return { text: clean(cell) };
  return { text: clean(cell.text), as: cell.as };
}

/**
 * The number of columns that a text takes, with two for a wide character: an approximation that suffices for names and versions and is
 * exact for ASCII.
 */
export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(char) ? 2 : 1;
  return width;
}
