const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns the JSON text of a member, cut from the JSON of an object. `text` must be in the form in which the store keeps JSON: as
 * `JSON.stringify` returns it, without spaces. `path` names the members to descend into. Returns undefined if a member is absent or the
 * text has another form.
 */
export function memberText(text: string, path: readonly string[]): string | undefined {
  let at = 0;
  for (const name of path) {
    const next = startOfMember(text, at, `"${name}":`);
    if (next === undefined) return undefined;
    at = next;
  }
  return text.slice(at, endOfValue(text, at));
}

/**
 * Returns the position at which the value of a member starts, in the object that starts at `at`. Returns undefined if the object has no
 * such member.
 */
function startOfMember(text: string, at: number, key: string): number | undefined {
  if (text[at] !== '{') return undefined;
  for (let start = at + 1; text.charCodeAt(start) === QUOTE; ) {
    if (text.startsWith(key, start)) return start + key.length;
    const end = endOfValue(text, endOfString(text, start) + 1);
    if (text[end] !== ',') return undefined;
    start = end + 1;
  }
  return undefined;
}

/** Returns the position after the value at `at`. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; ) {
    switch (text[i]) {
      case '"':
        i = endOfString(text, i);
        if (depth === 0) return i;
        continue;
      case '{':
      case '[':
        depth++;
        break;
      case '}':
      case ']':
        // A bracket at depth 0 belongs to the enclosing object, whose last value is a number or a literal that ends here.
        if (depth === 0) return i;
        if (--depth === 0) return i + 1;
        break;
      case ',':
        if (depth === 0) return i;
        break;
      default:
    }
    i++;
  }
  return text.length;
}

/** Returns the position after the string that starts at `at`. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}
