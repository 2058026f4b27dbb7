/** One line of a diff: unchanged (` `), only in the text before (`-`), or only in the text after (`+`). */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * Returns the shortest line-by-line diff of two texts (longest common subsequence). It is fast enough for texts of the size of manifests.
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i] ?? '' });
      i++;
      j++;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) lines.push({ sign: '-', text: a[i++] ?? '' });
    else lines.push({ sign: '+', text: b[j++] ?? '' });
  }
  return lines;
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** Returns the changed lines, each with a few unchanged lines around it. Omitted lines are marked. */
export function hunks(lines: readonly DiffLine[], around: number): readonly (DiffLine | 'gap')[] {
  const isNear = (index: number): boolean => lines.slice(Math.max(0, index - around), index + around + 1).some(({ sign }) => sign !== ' ');
  const shown: (DiffLine | 'gap')[] = [];
  lines.forEach((line, index) => {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1) !== 'gap') shown.push('gap');
  });
  return shown;
}
