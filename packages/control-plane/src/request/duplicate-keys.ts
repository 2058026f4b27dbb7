/** The path of a duplicate member in a JSON document, as the API server writes it (`spec.items[1].name`). */
export type DuplicatePath = string;

interface Level {
  readonly keys: Set<string> | undefined;
  readonly path: string;
  index: number;
  key: string;
}

const MAX_REPORTED = 100;

/**
 * Finds duplicate members of objects, which `JSON.parse` silently merges. `text` must be valid JSON. The scan uses an explicit stack, skips
 * strings, and ignores all text between structural characters.
 */
export function duplicateKeys(text: string): DuplicatePath[] {
  const found: DuplicatePath[] = [];
  const stack: Level[] = [];
  let expectsKey = false;
  for (let i = 0; i < text.length; i++) {
    const level = stack.at(-1);
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(text, i);
        if (expectsKey && level?.keys) noteKey(level, keyText(text.slice(i, end + 1)), found);
        expectsKey = false;
        i = end;
        break;
      }
      case 0x7b:
        stack.push({ keys: new Set(), path: childPath(level), index: 0, key: '' });
        expectsKey = true;
        break;
      case 0x5b:
        stack.push({ keys: undefined, path: childPath(level), index: 0, key: '' });
        break;
      case 0x7d:
      case 0x5d:
        stack.pop();
        expectsKey = false;
        break;
      case 0x2c:
        if (level) level.index++;
        expectsKey = level?.keys !== undefined;
        break;
      default:
    }
    if (found.length >= MAX_REPORTED) return found;
  }
  return found;
}

function keyText(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function noteKey(level: Level, key: string, found: DuplicatePath[]): void {
  level.key = key;
  if (level.keys?.has(key)) found.push(join(level.path, key));
  else level.keys?.add(key);
}

function childPath(parent: Level | undefined): string {
  if (!parent) return '';
  return parent.keys ? join(parent.path, parent.key) : `${parent.path}[${parent.index}]`;
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** Returns the index of the quote that ends the string which starts at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}
