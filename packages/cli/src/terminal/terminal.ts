import pc from 'picocolors';
import { showable } from './clean.js';

/**
 * The output of a command. Commands write only through this interface, so that tests can read the output and colours are used only on a
 * terminal.
 */
export interface Terminal {
  /** Writes results to stdout. */
  out(text: string): void;
  /** Writes progress, notes and problems to stderr. */
  note(text: string): void;
  /** Writes a control sequence to stdout, such as one that moves the cursor. It never contains texts of objects. */
  control(sequence: string): void;
  /** Whether results go to a terminal, so that lines may be rewritten in place. */
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

/** The size to assume if the system does not report the size of the window. */
const DEFAULT_COLUMNS = 120;
const DEFAULT_ROWS = 40;

const plain = (text: string): string => text;
export const PLAIN: Style = { good: plain, bad: plain, warn: plain, dim: plain, bold: plain };

/** Returns the terminal of this process. NO_COLOR and a pipe turn colours off; lines on a dumb terminal are not rewritten. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const isTerminal = stdout.isTTY === true && env['TERM'] !== 'dumb';
  const colors = pc.createColors(isTerminal && !env['NO_COLOR']);
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    control: (sequence) => void stdout.write(sequence),
    isLive: isTerminal,
    // The width is read on each use, because the window may be resized.
    get columns() {
      return stdout.columns || DEFAULT_COLUMNS;
    },
    get rows() {
      return stdout.rows || DEFAULT_ROWS;
    },
    style: { good: colors.green, bad: colors.red, warn: colors.yellow, dim: colors.dim, bold: colors.bold },
  };
}

/** The sequences of `Style`: bold, dim, green, red, yellow, and their ends. */
// oxlint-disable-next-line no-control-regex -- styles are controls
const STYLES = /(\u001b\[(?:1|2|22|31|32|33|39)m)/;

/**
 * Returns a terminal that shows unsafe characters as codes in everything that a command writes, except in the styles. Commands also clean
 * each text of an object, so that it stays on its line; this terminal is the second barrier.
 */
export function safeTerminal(terminal: Terminal): Terminal {
  const isStyled = terminal.style.good('x') !== 'x';
  const safe = (text: string): string =>
    isStyled
      ? text
          .split(STYLES)
          .map((part, index) => (index % 2 === 1 ? part : showable(part)))
          .join('')
      : showable(text);
  return {
    out: (text) => terminal.out(safe(text)),
    note: (text) => terminal.note(safe(text)),
    control: (sequence) => terminal.control(sequence),
    isLive: terminal.isLive,
    get columns() {
      return terminal.columns;
    },
    get rows() {
      return terminal.rows;
    },
    style: terminal.style,
  };
}

/** Returns the maximum width of a table: the width of the window on a terminal, and otherwise undefined. */
export function tableWidth({ isLive, columns }: Terminal): number | undefined {
  return isLive ? columns : undefined;
}

/** Returns a terminal that records the output, for tests. */
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
    control: (sequence) => {
      written.out += sequence;
    },
    isLive: false,
    columns: DEFAULT_COLUMNS,
    rows: DEFAULT_ROWS,
    style: PLAIN,
  };
}
