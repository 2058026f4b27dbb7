import { displayWidth } from './display-width.js';

// oxlint-disable-next-line no-control-regex -- our own colours are what is looked for
const COLOUR = /\u001b\[\d+m/y;

/** The line, cut to a number of columns. Colour codes take no columns and are all kept, so that every colour is switched off again. */
export function clip(line: string, columns: number): string {
  let width = 0;
  let kept = '';
  for (let index = 0; index < line.length; ) {
    COLOUR.lastIndex = index;
    const colour = COLOUR.exec(line)?.[0];
    const char = colour ?? String.fromCodePoint(line.codePointAt(index) ?? 0);
    if (colour === undefined) width += displayWidth(char);
    if (colour !== undefined || width <= columns) kept += char;
    index += char.length;
  }
  return kept;
}
