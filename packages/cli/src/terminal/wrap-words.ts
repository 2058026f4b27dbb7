import { wrap } from './clip.js';
import { displayWidth } from './display-width.js';

/**
 * Splits text without colours into lines of at most `columns` columns, between words. A longer word is split, so that nothing is hidden.
 */
export function wrapWords(text: string, columns: number): readonly string[] {
  if (displayWidth(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = wrap(word, columns);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return [...lines, line];
}
