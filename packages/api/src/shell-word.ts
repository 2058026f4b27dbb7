/** A value as one word of a shell command. Names come from objects: quoted, so that nobody pastes a command they did not mean. */
export function shellWord(text: string): string {
  return /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
