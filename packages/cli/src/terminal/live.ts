import type { Terminal } from './terminal.js';

/** A block of lines that is rewritten in place on a terminal; elsewhere nothing is shown and `plain` lines tell the story. */
export interface LiveBlock {
  /** Shows these lines instead of the ones before. */
  show(text: string): void;
  /** Leaves the last state standing. */
  end(): void;
}

const UP = (lines: number): string => `\u001b[${lines}A`;
const CLEAR_BELOW = '\u001b[0J';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

export function liveBlock(terminal: Terminal): LiveBlock {
  if (!terminal.isLive) return { show: () => undefined, end: () => undefined };
  let height = 0;
  let last: string | undefined;
  return {
    show(text) {
      if (text === last) return;
      terminal.out(`${height === 0 ? HIDE_CURSOR : UP(height)}${height === 0 ? '' : CLEAR_BELOW}${text}`);
      height = text.split('\n').length - 1;
      last = text;
    },
    end() {
      if (height > 0) terminal.out(SHOW_CURSOR);
      height = 0;
    },
  };
}
