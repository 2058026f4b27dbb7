import { shellWord } from '@outrigger/api';

/** A command line to paste: every argument is one word of it, whatever it contains. */
export function shellCommand(...words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
