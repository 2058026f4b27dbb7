import { wrap } from './clip.js';
import { displayWidth } from './display-width.js';

/** A word, or a command in backquotes with the punctuation around it. */
const PIECES = /[^\s`]*`[^`]*`[^\s`]*|\S+/g;

/**
 * Splits text without colours into lines of at most `columns` columns, between words. A longer word is split, so that nothing is hidden. A
 * command in backquotes is never split, so that it can be pasted; if it is longer than a line, the line is longer. All lines after the
 * first are `hang` columns shorter, which leaves space for their indentation.
 */
export function wrapProse(text: string, columns: number, hang = 0): readonly string[] {
  if (displayWidth(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  for (const [piece] of text.matchAll(PIECES)) {
    const longer = line === '' ? piece : `${line} ${piece}`;
    if (displayWidth(longer) <= (lines.length === 0 ? columns : columns - hang)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const parts = /`[^`]*`/.test(piece) ? [piece] : wrap(piece, columns - hang);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
  }
  return [...lines, line];
}
