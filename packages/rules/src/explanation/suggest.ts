/** The known word that is most similar to `word`, or undefined if none is similar enough. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
}

/**
 * Returns `: did you mean "x"?`, or the list of known words, or an empty string if no words are known. Callers append this text to a
 * message about an unknown name.
 */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `: did you mean "${near}"?`;
  if (known.length === 0) return '';
  const shown = known.slice(0, 10).join(', ');
  return `: there ${known.length === 1 ? 'is' : 'are'} ${shown}${known.length > 10 ? `, and ${known.length - 10} more` : ''}`;
}

/** The number of insertions, deletions, substitutions and swaps of adjacent characters (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const options = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1)];
      if (isSwap) options.push((beforeLast[j - 2] ?? 0) + 1);
      row.push(Math.min(...options));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
