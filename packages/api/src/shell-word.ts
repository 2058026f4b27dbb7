/** A value as one word of a shell command. Names come from objects, so they are quoted: a pasted command must not do more than it shows. */
export function shellWord(text: string): string {
  return /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
