import pc from 'picocolors';

/** Where a command writes. Everything a command says goes through one, so that tests read it and colours stay off where nobody sees them. */
export interface Terminal {
  /** Results: what a script reads. */
  out(text: string): void;
  /** Progress, notes and problems: what a person reads. */
  note(text: string): void;
  /** Whether a person watches the results: lines may be rewritten in place. */
  readonly isLive: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
}

export interface Style {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** Where nobody says how large the window is. */
const DEFAULT_COLUMNS = 120;
const DEFAULT_ROWS = 40;

const plain = (text: string): string => text;
export const PLAIN: Style = { good: plain, bad: plain, warn: plain, dim: plain, bold: plain };

/** The terminal of this process. NO_COLOR and a pipe turn colours off; a dumb terminal is not rewritten. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const isTerminal = stdout.isTTY === true && env['TERM'] !== 'dumb';
  const colors = pc.createColors(isTerminal && !env['NO_COLOR']);
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    isLive: isTerminal,
    // Asked each time: people resize windows.
    get columns() {
      return stdout.columns || DEFAULT_COLUMNS;
    },
    get rows() {
      return stdout.rows || DEFAULT_ROWS;
    },
    style: { good: colors.green, bad: colors.red, warn: colors.yellow, dim: colors.dim, bold: colors.bold },
  };
}

/** A terminal that keeps what was written, for tests and for commands that run others. */
export function recordingTerminal(): Terminal & { readonly written: { out: string; note: string } } {
  const written = { out: '', note: '' };
  return {
    written,
    out: (text) => {
      written.out += text;
    },
    note: (text) => {
      written.note += text;
    },
    isLive: false,
    columns: DEFAULT_COLUMNS,
    rows: DEFAULT_ROWS,
    style: PLAIN,
  };
}
