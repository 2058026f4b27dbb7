/** Matches a repetition: `{n}`, `{n,}` or `{n,m}`. */
const REPEAT = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/;

/**
 * Returns an upper bound for the number of instructions to which a pattern compiles, without compiling it: `a{1000}` is seven characters
 * but a thousand instructions. Reads the pattern once. For a malformed pattern the result is arbitrary, because the parser rejects the
 * pattern later.
 */
export function estimateProgramSize(pattern: string): number {
  const groups: { total: number; last: number }[] = [{ total: 2, last: 0 }];
  let at = 0;
  const atom = (size: number): void => {
    const group = groups.at(-1) as { total: number; last: number };
    group.total += size;
    group.last = size;
  };
  while (at < pattern.length) {
    const char = pattern[at] as string;
    switch (char) {
      case '\\': {
        const quoted = pattern[at + 1] === 'Q';
        const end = quoted ? endOfQuote(pattern, at) : endOfEscape(pattern, at);
        atom(quoted ? 1 : 2);
        if (quoted) (groups.at(-1) as { total: number }).total += end - at;
        at = end;
        break;
      }
      case '[':
        atom(1);
        at = endOfClass(pattern, at);
        break;
      case '(':
        groups.push({ total: 2, last: 0 });
        at++;
        break;
      case ')': {
        const inner = groups.length > 1 ? groups.pop() : undefined;
        atom(inner?.total ?? 1);
        at++;
        break;
      }
      case '{': {
        const repeat = REPEAT.exec(pattern.slice(at, at + 12));
        if (repeat === null) atom(1);
        else repeatLast(groups.at(-1) as { total: number; last: number }, copies(repeat));
        at += repeat?.[0].length ?? 1;
        break;
      }
      case '*':
      case '+':
      case '?':
        (groups.at(-1) as { total: number }).total += 1;
        (groups.at(-1) as { last: number }).last += 1;
        at++;
        break;
      default:
        atom(char === '|' ? 2 : 1);
        at++;
    }
  }
  return groups.reduce((sum, { total }) => sum + total, 0);
}

function copies([, min = '0', comma, max = '']: RegExpExecArray): number {
  if (comma === undefined) return Number(min);
  return max === '' ? Number(min) + 1 : Number(max);
}

/** Multiplies the size of the last item by the number of copies. Adds one instruction per copy, because a copy may be optional. */
function repeatLast(group: { total: number; last: number }, count: number): void {
  const size = Math.max(1, count) * (group.last + 1);
  group.total += size - group.last;
  group.last = size;
}

function endOfQuote(pattern: string, at: number): number {
  const end = pattern.indexOf('\\E', at + 2);
  return end < 0 ? pattern.length : end + 2;
}

/** Returns the end of an escape such as `\d`, `\x{10FFFF}` or `\p{Greek}`. Its braces are not a repetition. */
function endOfEscape(pattern: string, at: number): number {
  const kind = pattern[at + 1] ?? '';
  if ('pPx'.includes(kind) && pattern[at + 2] === '{') {
    const end = pattern.indexOf('}', at);
    return end < 0 ? pattern.length : end + 1;
  }
  return at + 2;
}

/**
 * Returns the end of a character class `[…]`. A closing bracket at the first position, after a backslash or within `[:name:]` does not end
 * it.
 */
function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at++;
  let isFirst = true;
  while (at < pattern.length) {
    const char = pattern[at];
    if (char === ']' && !isFirst) return at + 1;
    isFirst = false;
    if (char === '\\') at = endOfEscape(pattern, at);
    else if (char === '[' && pattern[at + 1] === ':') {
      const end = pattern.indexOf(':]', at + 2);
      at = end < 0 ? at + 1 : end + 2;
    } else at++;
  }
  return at;
}
