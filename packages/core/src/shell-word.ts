/** Returns a value as one word of a shell command, quoted if necessary, because names come from objects that other users write. */
export function shellWord(text: string): string {
  return /^[\w.:@/-][\w.:@/=-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Returns a command for a user to paste: shell`kubectl get pods -n ${namespace}`. Values are quoted if necessary, so that no value becomes
 * a second word or a second command. The literal text is not quoted.
 */
export function shell(parts: TemplateStringsArray, ...values: readonly (string | number | undefined)[]): string {
  return parts.reduce((text, part, index) => `${text}${shellWord(String(values[index - 1] ?? ''))}${part}`);
}
