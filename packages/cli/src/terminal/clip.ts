import { displayWidth } from './display-width.js';

// oxlint-disable-next-line no-control-regex -- our own colours are what is looked for
const COLOUR = /\u001b\[\d+m/y;
// oxlint-disable-next-line no-control-regex -- our own colours are what is looked for
const ANY_COLOUR = /\u001b\[\d+m/g;

/** Cuts the line to a number of columns. Colour codes take no columns and are all kept, so that every colour is switched off again. */
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

/**
 * Splits the line into pieces of at most the given number of columns, as a terminal wraps it. Colour codes take no columns. A piece may
 * always have two columns, because a wide character takes two, and a narrow window may have fewer than the marks before the text.
 */
export function wrap(line: string, columns: number): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  const room = Math.max(2, columns);
  while (displayWidth(rest.replaceAll(ANY_COLOUR, '')) > room) {
    const end = fittingLength(rest, room);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}

/** Returns the number of characters of the line that fit into the columns. */
function fittingLength(line: string, columns: number): number {
  let width = 0;
  let index = 0;
  while (index < line.length) {
    COLOUR.lastIndex = index;
    const colour = COLOUR.exec(line)?.[0];
    const char = colour ?? String.fromCodePoint(line.codePointAt(index) ?? 0);
    if (colour === undefined) width += displayWidth(char);
    if (width > columns) return index;
    index += char.length;
  }
  return index;
}
