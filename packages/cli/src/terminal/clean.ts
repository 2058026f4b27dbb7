/**
 * Matches characters that a terminal would interpret or hide instead of showing: C0 and C1 controls (including escape sequences), direction
 * marks, invisible characters and line separators. Names, messages and annotations may come from any client that can write objects, so they
 * must be shown as plain text.
 */
// oxlint-disable-next-line no-control-regex -- controls are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * Returns the text on one line. Characters that could move the cursor, change colours or reverse the reading direction are replaced by
 * their codes.
 */
export function clean(text: string): string {
  return text.replace(UNSAFE, (char) => (char === '\n' || char === '\t' ? ' ' : codeOf(char)));
}

/** Like `clean`, for text with several lines. */
export function cleanLines(text: string): string {
  return text.split('\n').map(clean).join('\n');
}

/** Like `clean`, but line breaks and tabs stay, so that output for other programs does not change. */
export function showable(text: string): string {
  return text.replace(UNSAFE, (char) => (char === '\n' || char === '\t' ? char : codeOf(char)));
}

/** Returns JSON in which the unsafe characters of strings are escaped. It parses to the same value. */
export function cleanJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(UNSAFE, (char) => (char === '\n' ? char : codeOf(char)));
}

export function isClean(text: string): boolean {
  return cleanLines(text) === text;
}

function codeOf(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
