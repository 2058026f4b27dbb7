import { clip, wrap } from './clip.js';
import type { Terminal } from './terminal.js';

/** A block of lines that is rewritten in place on a terminal. If the output is not a terminal, it shows nothing. */
export interface LiveBlock {
  /** Replaces the shown lines. */
  show(text: string): void;
  /** Stops rewriting and leaves the last lines on the screen. */
  end(): void;
}

// Returns the control sequence that moves the cursor up. The sequence starts with a carriage return, because the cursor is not at the start
// of the line after the terminal has echoed ^C.
const UP = (lines: number): string => `\r\u001b[${lines}A`;
const CLEAR_BELOW = '\u001b[0J';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

export function liveBlock(terminal: Terminal): LiveBlock {
  if (!terminal.isLive) return { show: () => undefined, end: () => undefined };
  let height = 0;
  let wanted = '';
  let shown: string | undefined;
  const rewrite = (text: string): void => {
    if (text === shown) return;
    terminal.control(height === 0 ? HIDE_CURSOR : `${UP(height)}${CLEAR_BELOW}`);
    terminal.out(text);
    height = text.split('\n').length - 1;
    shown = text;
  };
  return {
    show(text) {
      wanted = text;
      // The text must fit into the window, because the cursor cannot move back over lines that the terminal wraps or that have scrolled out
      // of it.
      rewrite(fit(text, terminal));
    },
    end() {
      if (height === 0) return;
      rewrite(wanted);
      // Clear the text that the terminal echoed below the block, such as ^C.
      terminal.control(`\r${CLEAR_BELOW}${SHOW_CURSOR}`);
      height = 0;
    },
  };
}

/** Wraps the lines of the text to the width of the window, so that no part of a line is hidden. Lines that do not fit are counted. */
function fit(text: string, { columns, rows }: Terminal): string {
  const lines = text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => wrap(line, columns));
  const room = Math.max(1, rows - 1);
  const left = lines.length - (room - 1);
  const seen = lines.length <= room ? lines : [...lines.slice(0, room - 1), `... and ${left} more lines; they do not fit here`];
  return seen.map((line) => `${clip(line, columns)}\n`).join('');
}
